import type { AnswerInput } from '../../config.ts'
import { createHost } from '../../index.ts'
import type { DiscoverOptions, Host } from '../../index.ts'
import { warnOfAudit } from './audit-warning.ts'
import type { ServeContext } from './serve-context.ts'
import type { ServeDesk } from './talk/serve-desk.ts'

export interface ServeHostParts extends Pick<ServeContext, 'inputs' | 'wire'> {
  readonly discover: DiscoverOptions
  readonly desk: ServeDesk
  /** Whether the page can show apps. */
  readonly hasApps: boolean
}

/** The host of the folder of `serve`: it starts servers when they are used. */
export async function openServeHost(parts: ServeHostParts): Promise<Host> {
  const { discover, desk, inputs, wire, hasApps } = parts
  const host = await createHost({
    ...discover,
    lifecycle: 'on-demand',
    scanResults: true,
    lock: true,
    audit: { surface: 'page' },
    ...(hasApps && { apps: true }),
    accept: 'person',
    memory: desk.memory,
    ...desk.callbacks,
    wrapChannel: wire.wrapChannel,
    answers: typedAnswers(inputs),
  })
  warnOfAudit(host)
  return host
}

/** What a person typed last, so that a mistake can be mended: the next start asks again. */
function typedAnswers(inputs: ServeContext['inputs']): AnswerInput {
  const answer: AnswerInput = async (server, input) => inputs.get(server.id)?.get(input.id)
  return Object.assign(answer, { keepsAnswers: true as const })
}
