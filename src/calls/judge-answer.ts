import { OfferedTool } from '../catalog/offered-tool.ts'
import { HostError } from '../model/error.ts'
import { toRef } from '../model/tool.ts'
import type { Tool } from '../model/tool.ts'
import { heldAnswerError } from './held-tool.ts'
import type { HeldTools, ViewContext } from './view/view-context.ts'
import type { CallOptions } from './view/view.ts'

type WaitLimits = Pick<CallOptions, 'signal' | 'timeoutMs'>
type ListContext = Pick<ViewContext, 'isOutdated' | 'listAgain'>

/**
 * Judges the answer of a call whose tool is not the listed one any more, or whose server announced other tools meanwhile.
 * Rejects if the tool is held by now; `undefined` if nothing changed.
 */
export function judgeAnswer(
  tool: Tool,
  context: ListContext & Pick<ViewContext, 'held'>,
  options: WaitLimits,
): Promise<void> | undefined {
  if (!(tool instanceof OfferedTool)) return undefined
  const { held } = context
  return !held || held.isCurrent(tool) ? undefined : judgeBy(held, tool, context, options)
}

/** A tool that is gone, or changed and accepted, has done what it was called for. */
async function judgeBy(
  held: HeldTools,
  tool: Pick<Tool, 'name' | 'ref' | 'server'>,
  context: ListContext,
  { signal, timeoutMs }: WaitLimits,
): Promise<void> {
  const { name, ref, server } = tool
  if (context.isOutdated(server))
    await context.listAgain(server, { signal, timeoutMs }).catch(() => undefined)
  if (signal?.aborted) {
    const data = { server, method: 'tools/call', sent: true }
    throw new HostError('call.cancelled', data, `"${server}": Cancelled.`)
  }
  const found = held.tools().find((each) => each.ref === ref)
  if (found) throw heldAnswerError({ ...found, name })
}

/** The same for a bare request, which names a tool of one server. */
export function judgeNamedAnswer(
  server: string,
  name: string,
  context: ListContext & Pick<ViewContext, 'held'>,
): Promise<void> | undefined {
  const { held, isOutdated } = context
  const found = held?.tools().find((each) => each.server === server && each.tool === name)
  if (!held || (!found && !isOutdated(server))) return undefined
  return judgeBy(held, { name, ref: toRef(server, name), server }, context, {})
}
