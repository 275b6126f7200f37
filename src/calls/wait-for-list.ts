import type { ViewContext } from './view/view-context.ts'
import type { CallOptions } from './view/view.ts'

/** How long a call waits for the tools of a server that announced others. If they come later, its answer is judged by them. */
const maxWaitMs = 2000

/** Before a call of a server that announced other tools. */
export async function waitForList(
  server: string,
  { listAgain }: Pick<ViewContext, 'listAgain'>,
  { signal, timeoutMs }: Pick<CallOptions, 'signal' | 'timeoutMs'>,
): Promise<void> {
  await listAgain(server, { signal, timeoutMs: timeoutMs ? Math.min(timeoutMs, maxWaitMs) : maxWaitMs })
}
