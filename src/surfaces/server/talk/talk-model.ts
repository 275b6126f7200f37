import type { AgentModel } from '../../../agent.ts'
import { isHostError } from '../../../index.ts'
import type { DiscoverOptions } from '../../../index.ts'
import { describeModel, openConversationModel } from '../../../models.ts'
import type { Conversation } from '../../../store.ts'
import type { ServeContext } from '../serve-context.ts'

export interface TalkModel {
  readonly model: AgentModel
  readonly isDemo: boolean
  /** What a person should know about it. */
  readonly note?: string
}

const noModelNote =
  'No model is set up. The demo model matches words to tools. Choose one: plugboard models use ENDPOINT/MODEL'

/** The name of the demo model. It is kept in no conversation: a later `serve` or chat takes the person's model. */
export const demoModelName = 'demo'

/** The model of a conversation; without one the demo model, which needs no key, answers. */
export async function openTalkModel(
  { isDemo, discover }: Pick<ServeContext, 'isDemo' | 'discover'>,
  conversation: Pick<Conversation, 'cwd' | 'agent' | 'model'>,
): Promise<TalkModel> {
  if (isDemo)
    return { ...(await demoModel()), note: 'This is the demo model: it only matches your words to tools.' }
  const { cwd, agent, model: before } = conversation
  try {
    const { model, problem } = await openConversationModel({
      cwd,
      discover,
      before,
      // A conversation that has a model keeps it; a new one takes that of its agent.
      ...(before === undefined && { agent }),
    })
    return { model, isDemo: false, ...(problem !== undefined && { note: problem }) }
  } catch (error) {
    if (!isHostError(error, 'model.none')) throw error
    return { ...(await demoModel()), note: noModelNote }
  }
}

async function demoModel() {
  const { openDemo } = await import('../../demo/demo.ts')
  return { model: openDemo().model, isDemo: true }
}

/** Where the settings with the models are. */
export function modelPlace({ cwd, platform }: DiscoverOptions): Pick<DiscoverOptions, 'cwd' | 'platform'> {
  return { ...(cwd !== undefined && { cwd }), ...(platform && { platform }) }
}

/** What fits into a request to a model, and whose dialect its tools have. */
export interface ModelRoom {
  readonly window: number
  readonly provider: NonNullable<AgentModel['provider']>
}

const usualWindow = 128_000

/** What is known of a model without opening it. */
export async function roomOf(
  { isDemo, discover }: Pick<ServeContext, 'isDemo' | 'discover'>,
  { cwd, model }: Pick<Conversation, 'cwd' | 'model'>,
): Promise<ModelRoom> {
  const place = modelPlace({ ...discover, cwd })
  const known = isDemo ? undefined : await describeModel(model, place).catch(() => undefined)
  if (!known) return { window: (await demoModel()).model.window ?? usualWindow, provider: 'openai' }
  return { window: known.window ?? usualWindow, provider: known.provider }
}
