import { createBoocodeTools } from 'plugboard/boocode'

const { initialize } = createBoocodeTools()
const app = { log: console, addHook: (name: 'onClose', hook: () => Promise<void>) => void closing.push(hook) }
const closing: (() => Promise<void>)[] = []
//- snippet
for (const close of closing) await close()
