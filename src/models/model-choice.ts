import { HostError } from '../model/error.ts'
import { toPointer } from '../model/json.ts'
import type { Platform } from '../platform/platform.ts'
import { findEndpoint, readEndpoints } from './endpoints.ts'
import type { Endpoint, EndpointReading } from './endpoints.ts'

/** One model of one endpoint. */
export interface ModelChoice {
  /** `endpoint/model`. */
  readonly ref: string
  readonly endpoint: Endpoint
  /** As the endpoint names it; it may contain slashes. */
  readonly id: string
}

/** The reference that counts: the given one, `PLUGBOARD_MODEL`, that of the person's settings; `undefined` if there is none. */
export function chosenReference(
  given: string | undefined,
  { env }: Pick<Platform, 'env'>,
  settings: string | undefined,
): string | undefined {
  return [given, env['PLUGBOARD_MODEL'], settings].find((each) => each !== undefined && each !== '')
}

/** Finds the model of a reference, or the default one. Nothing is asked of its endpoint. */
export async function chooseModel(given: string | undefined, platform: Platform): Promise<ModelChoice> {
  const reading = await readEndpoints(platform)
  const ref = chosenReference(given, platform, reading.model)
  refuseMistake(ref, reading)
  if (ref === undefined) throw noModel()
  const place = ref === given ? undefined : ref === reading.model ? reading.file : 'PLUGBOARD_MODEL'
  return parseReference(ref, reading.endpoints, place)
}

/** A mistake in the settings is the reason if it left out the model, or the endpoint that is meant. */
function refuseMistake(ref: string | undefined, { endpoints, diagnostics, file }: EndpointReading): void {
  const [name = ''] = ref?.split('/') ?? []
  if (endpoints.some((each) => each.name === name && !each.isBuiltIn)) return
  const path = ref === undefined ? ['model'] : ['endpoints', name]
  const mistake = diagnostics.find(
    ({ severity, origin }) =>
      severity === 'error' && `${origin?.pointer ?? ''}/`.startsWith(`${toPointer(path)}/`),
  )
  if (!mistake) return
  const place = mistake.origin?.line === undefined ? file : `${file}:${mistake.origin.line}`
  throw new HostError('config.invalid', { file, key: path.join('.') }, `${place}: ${mistake.message}`, {
    hint: 'Correct it there, or use another model: --model ENDPOINT/MODEL',
  })
}

/**
 * Whether the ID of a model has only characters of IDs. Google's is a part of the path of a request, where `..`, also as
 * `%2e`, `?` and `#` would choose another one (T65).
 */
export function isModelId(id: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what it is about
  return !/\.\.|[?#%\\\s\u0000-\u001f\u007f-\u009f]/.test(id)
}

/** @param place Where the reference is written, if the person did not give it now. */
export function parseReference(ref: string, endpoints: readonly Endpoint[], place?: string): ModelChoice {
  const slash = ref.indexOf('/')
  if (slash > 0 && slash < ref.length - 1) {
    const endpoint = findEndpoint(ref.slice(0, slash), endpoints)
    const id = ref.slice(slash + 1)
    if (!isModelId(id)) throw noModelId(ref, endpoint, place)
    return { ref, endpoint, id }
  }
  const name = ref.replace(/\/$/, '')
  if (endpoints.some((each) => each.name === name))
    throw new HostError('model.unknown', { model: ref, near: [] }, `"${name}" is an endpoint, not a model.`, {
      hint: `See what it offers: plugboard models ${name}. Then: --model ${name}/MODEL`,
    })
  const near = likelyReference(name)
  throw new HostError(
    'model.unknown',
    { model: ref, near },
    `"${ref}" names no endpoint: write it as endpoint/model.`,
    { hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard models' },
  )
}

function noModelId(ref: string, { name }: Endpoint, place: string | undefined): HostError<'model.unknown'> {
  const named = place === undefined ? '' : `${place} names it: `
  return new HostError(
    'model.unknown',
    { model: ref, near: [] },
    `${named}"${ref}" is no model: its name has blanks, control characters, or one of ".." ? # % \\.`,
    { hint: `See: plugboard models ${name}` },
  )
}

/** The endpoint that a well-known name of a model belongs to. */
export function likelyReference(name: string): readonly string[] {
  if (/^(?:gpt-|chatgpt-|o\d)/.test(name)) return [`openai/${name}`]
  if (name.startsWith('claude')) return [`anthropic/${name}`]
  return name.startsWith('gemini') ? [`google/${name}`] : []
}

function noModel(): HostError<'model.none'> {
  return new HostError('model.none', {}, 'No model is chosen.', {
    hint: 'Choose one: plugboard models, then plugboard models use ENDPOINT/MODEL (or --model, or PLUGBOARD_MODEL). To try it without a model: --demo',
  })
}
