import { listAgents } from '../config/list-agents.ts'
import type { AgentOptions } from '../config/list-agents.ts'
import type { EndpointModel } from './open-model.ts'
import { agentReference } from './agent-reference.ts'
import { openModel } from './open-model.ts'

export interface ModelWishes {
  /** The folder of the conversation. */
  readonly cwd: string
  /** How the host of the conversation finds its agents. */
  readonly discover: AgentOptions
  /** A reference that the person gave now. */
  readonly given?: string | undefined
  /** The name of an agent that the person chose now. */
  readonly agent?: string | undefined
  /** The model that the conversation had before. */
  readonly before?: string | undefined
}

export interface ChosenModel {
  readonly model: EndpointModel
  /** Why the model that the agent's file names is not used. */
  readonly problem?: string
}

/** Opens the model of a conversation: the given one, that of the agent's file, the one before, or the person's default. */
export async function openConversationModel({
  cwd,
  discover,
  given,
  agent,
  before,
}: ModelWishes): Promise<ChosenModel> {
  const { platform } = discover
  const place = { cwd, ...(platform && { platform }) }
  if (given !== undefined) return { model: await openModel(given, place) }
  const found =
    agent === undefined
      ? undefined
      : (await listAgents({ ...discover, cwd })).agents.find(({ name }) => name === agent)
  const { ref, problem } = found ? await agentReference(found, place) : {}
  return { model: await openModel(ref ?? before, place), ...(problem !== undefined && { problem }) }
}
