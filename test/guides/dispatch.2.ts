import { createDispatchHost } from 'plugboard/testing'

const askThePerson = async (_question: unknown, _signal?: AbortSignal) => ({ action: 'decline' }) as never
const runModel = async (_params: unknown, _signal?: AbortSignal) => ({}) as never
//- snippet
const host = createDispatchHost()
await host.activate(mcpExt)
await mcpExt.deactivate()
