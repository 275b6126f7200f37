import { resolveOwnValue } from '../config/values/own-value.ts'
import { HostError, isHostError } from '../model/error.ts'
import type { EndpointKind } from '../config/endpoints/built-in-endpoints.ts'
import type { Redactor } from '../model/secrets/redactor.ts'
import type { Platform } from '../platform/platform.ts'
import type { Endpoint } from './endpoints.ts'

export interface EndpointContext {
  readonly platform: Platform
  /** Receives the key and every other secret. */
  readonly redactor: Redactor
}

/** The reference to an endpoint's key: that of its entry, or the first of its variables that is set. */
export function keyReference(
  { key, keyVariables }: Endpoint,
  { env }: Pick<Platform, 'env'>,
): string | undefined {
  if (key !== undefined) return key
  const name = keyVariables.find((each) => Object.hasOwn(env, each) && env[each] !== '')
  return name === undefined ? undefined : `\${env:${name}}`
}

/** Whether an endpoint needs a key that nothing provides. Nothing is read or run. */
export function lacksKey(endpoint: Endpoint, platform: Pick<Platform, 'env'>): boolean {
  return endpoint.keyVariables.length > 0 && keyReference(endpoint, platform) === undefined
}

/** Where the key comes from, in words that contain no part of it. */
export function keySource(endpoint: Endpoint, platform: Pick<Platform, 'env'>): string | undefined {
  const key = keyReference(endpoint, platform)
  if (key === undefined) return undefined
  if (key.startsWith('!')) return 'a command of your settings'
  const [, name] = /^(?:\$\{(?:env:)?|\{env:)([A-Za-z_]\w*)\}$/.exec(key) ?? []
  if (name !== undefined) return name
  return key.startsWith('${keychain:') ? 'your keychain' : 'your settings'
}

/**
 * The headers of requests to one endpoint. Its key is looked up for the first request, and again after it was refused:
 * a command may print another one by then.
 */
export class EndpointHeaders {
  readonly #endpoint: Endpoint
  readonly #context: EndpointContext
  #resolved: Promise<Readonly<Record<string, string>>> | undefined

  constructor(endpoint: Endpoint, context: EndpointContext) {
    this.#endpoint = endpoint
    this.#context = context
  }

  get(): Promise<Readonly<Record<string, string>>> {
    if (!this.#resolved) {
      const resolved = this.#resolve()
      this.#resolved = resolved
      resolved.catch(() => this.forget())
    }
    return this.#resolved
  }

  forget(): void {
    this.#resolved = undefined
  }

  async #resolve(): Promise<Readonly<Record<string, string>>> {
    const { kind, headers } = this.#endpoint
    const key = await this.#key()
    const own: Record<string, string> = {}
    for (const [name, text] of Object.entries(headers))
      own[name.toLowerCase()] = await this.#value(`headers.${name}`, text)
    return { ...(key !== undefined && keyHeader(kind, key)), ...own }
  }

  async #key(): Promise<string | undefined> {
    const { platform, redactor } = this.#context
    if (lacksKey(this.#endpoint, platform)) throw missingKey(this.#endpoint)
    const reference = keyReference(this.#endpoint, platform)
    if (reference === undefined) return undefined
    const key = (await this.#value('key', reference)).trim()
    redactor.register(key)
    if (!/^[\x21-\x7e]+$/.test(key)) throw unusableKey(this.#endpoint)
    return key
  }

  async #value(part: string, text: string): Promise<string> {
    const { platform, redactor } = this.#context
    const { name } = this.#endpoint
    const value = await resolveOwnValue(text, { key: `endpoints.${name}.${part}`, platform, redactor }).catch(
      (error: unknown) => {
        throw toUnresolved(error, this.#endpoint)
      },
    )
    // A text that a reference stands for is a secret, or may be one.
    if (value !== text) redactor.register(value)
    return value
  }
}

function keyHeader(kind: EndpointKind, key: string): Readonly<Record<string, string>> {
  if (kind === 'anthropic') return { 'x-api-key': key }
  return kind === 'google' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` }
}

function missingKey({ name, title, keyVariables }: Endpoint): HostError<'model.unauthorized'> {
  const [variable = ''] = keyVariables
  return new HostError('model.unauthorized', { endpoint: name }, `There is no key for ${title}.`, {
    hint: `Set ${keyVariables.join(' or ')}, or say where the key is: plugboard models add ${name} --key '\${env:${variable}}'`,
  })
}

function unusableKey({ name }: Endpoint): HostError<'model.unauthorized'> {
  const message = `The key of "${name}" is empty, or not one line of plain characters.`
  return new HostError('model.unauthorized', { endpoint: name }, message, {
    hint: 'Look at where it comes from: plugboard models',
  })
}

/** A value that cannot be looked up is a missing key for the person who asked a model. */
function toUnresolved(error: unknown, { name, key }: Endpoint): unknown {
  if (!isHostError(error, 'config.invalid')) return error
  const hint =
    key === undefined
      ? error.hint
      : `Set it, or say where the key is: plugboard models add ${name} --key REFERENCE --force`
  return new HostError(
    'model.unauthorized',
    { endpoint: name },
    error.message,
    hint === undefined ? {} : { hint },
  )
}
