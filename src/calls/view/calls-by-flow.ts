import type { CallByName } from './view-calls.ts'

/** What is opened for a flow is kept for this many; the flow itself goes on in any case. */
const maxOpened = 1000

/** Calls that are passed on for others follow the flow that they name; all others that of the view. */
export function callsByFlow(own: CallByName, open: (flow: string) => CallByName): CallByName {
  const opened = new Map<string, CallByName>()
  const callsOf = (flow: string): CallByName => {
    const known = opened.get(flow)
    if (known) return known
    const call = open(flow)
    opened.set(flow, call)
    const [oldest] = opened.keys()
    if (opened.size > maxOpened && oldest !== undefined) opened.delete(oldest)
    return call
  }
  return (name, args, options, waitedMs) => {
    const flow = options?.forward?.flow
    return (flow === undefined ? own : callsOf(flow))(name, args, options, waitedMs)
  }
}
