import { platformOf } from '../config/discover-options.ts'
import type { Agent } from '../model/agent.ts'
import type { Endpoint } from './endpoints.ts'
import { readEndpoints } from './endpoints.ts'
import { chosenReference, isModelId, likelyReference } from './model-choice.ts'
import type { ModelOptions } from './model-options.ts'

/** The model that an agent's file names, as far as it can be used here. */
export interface AgentReference {
  /** Absent: the person's own choice. */
  readonly ref?: string
  /** Why the named model is not used. */
  readonly problem?: string
}

/** Claude Code's short names: the model of that family that the person uses is meant. */
const families = ['sonnet', 'opus', 'haiku']

/**
 * Finds the reference that an agent's `model` stands for. Agent files are written for other clients, so a name that means
 * nothing here is no error. A project's file cannot send a conversation to another endpoint: it chooses among those that the
 * person has configured (T65).
 */
export async function agentReference(
  { name, model, origin }: Pick<Agent, 'name' | 'model' | 'origin'>,
  options: ModelOptions = {},
): Promise<AgentReference> {
  if (model === undefined || model === 'inherit' || model === 'default') return {}
  const platform = await platformOf(options)
  const reading = await readEndpoints(platform)
  const own = chosenReference(undefined, platform, reading.model)
  if (families.includes(model.toLowerCase()) && own?.toLowerCase().includes(model.toLowerCase())) return {}
  const named = `The agent "${name}" names the model "${model}"`
  const found = findReference(model, reading.endpoints)
  if (!found) return { problem: `${named}, which is no model of an endpoint here; it is not used.` }
  const { ref, endpoint } = found
  if (!isModelId(ref))
    return { problem: `${origin.file}: ${named}, which cannot be the name of a model; it is not used.` }
  if (isConfigured(endpoint, own)) return { ref }
  if (origin.authority === 'project')
    return {
      problem: `${named}, but its endpoint "${endpoint.name}" is not in your settings, and a project cannot choose it. To use it: --model ${ref}`,
    }
  if (endpoint.keyVariables.length === 0 || endpoint.keyVariables.some((key) => platform.env[key]))
    return { ref }
  return {
    problem: `${named}, but there is no key for "${endpoint.name}"; it is not used. Set ${endpoint.keyVariables.join(' or ')}.`,
  }
}

function findReference(model: string, endpoints: readonly Endpoint[]) {
  const refs = model.includes('/') ? [model] : likelyReference(model)
  for (const ref of refs) {
    const endpoint = endpoints.find((each) => ref.startsWith(`${each.name}/`))
    if (endpoint && ref.length > endpoint.name.length + 1) return { ref, endpoint }
  }
  return undefined
}

/** In the person's settings, or the endpoint of the model that they use. */
function isConfigured(endpoint: Endpoint, own: string | undefined): boolean {
  return !endpoint.isBuiltIn || own?.startsWith(`${endpoint.name}/`) === true
}
