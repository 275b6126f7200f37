import { takesImages } from '../adapters/model-output.ts'
import { HostError } from '../model/error.ts'
import type { Provider } from '../index.ts'
import type { LanguageModelObject } from '../models/model-object.ts'
import type { AgentModel } from './agent-options.ts'

/** Versions of the model interface that the bundled AI SDK takes. */
const versions: readonly unknown[] = ['v2', 'v3']

/** A model with what its object says about it. Throws `usage` for anything that is not a model object. */
export function toAgentModel(
  given: AgentModel | LanguageModelObject,
): AgentModel & { readonly provider: Provider } {
  const { model, ...known }: Partial<AgentModel> & { readonly model: unknown } = isDescribed(given)
    ? given
    : { model: given }
  checkModel(model)
  const provider = known.provider ?? providerOf(model)
  // OpenAI's chat API would get an image as base64 in a text.
  const images = known.images ?? (takesImages.has(provider) || model.provider.endsWith('.responses'))
  return { ...known, model, name: known.name ?? `${model.provider}/${model.modelId}`, provider, images }
}

function isDescribed(given: AgentModel | LanguageModelObject): given is AgentModel {
  return typeof given === 'object' && given !== null && 'model' in given
}

function checkModel(model: unknown): asserts model is LanguageModelObject {
  const refuse = (why: string): never => {
    throw new HostError('usage', {}, `The option model must be a model object of the AI SDK; ${why}.`)
  }
  if (typeof model === 'string') refuse('a text would be sent to a gateway of a third party')
  if (typeof model !== 'object' || model === null || !('specificationVersion' in model))
    return refuse('it is none')
  const version: unknown = model.specificationVersion
  if (!versions.includes(version))
    refuse(
      `this one has version ${String(version)} of the interface, and ${versions.join(' and ')} are known`,
    )
}

/** Model objects name their provider: `anthropic.messages`, `google.generative-ai`, `openai.responses`. */
function providerOf({ provider }: LanguageModelObject): Provider {
  if (/anthropic/i.test(provider)) return 'anthropic'
  return /google|gemini|vertex/i.test(provider) ? 'gemini' : 'openai'
}
