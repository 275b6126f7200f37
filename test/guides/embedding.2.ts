import { createScriptedServer } from 'plugboard/testing'

const token = 'secret'
const channel = createScriptedServer().open
//- snippet
await host.close()
