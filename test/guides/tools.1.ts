import { createHost } from 'plugboard'

await using host = await createHost()
await host.ready()
const view = await host.scope({})
//- snippet
following[Symbol.dispose]()
