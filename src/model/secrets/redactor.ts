import { removeHidden } from '../hidden.ts'
import { formsOf, shortestMasked } from './secret-forms.ts'
import type { SecretForm } from './secret-forms.ts'
import { SecretSearch } from './secret-search.ts'
import type { Span } from './secret-search.ts'
import { maskTokens } from './token-forms.ts'
import { mask } from '../secret.ts'

/** Knows every resolved secret, to mask it in all output (T35, decision 036). */
export class Redactor {
  readonly #values = new Set<string>()
  /** Created when it is first needed after the last registration. */
  #search: SecretSearch | undefined

  register(value: string): void {
    if (value.length < shortestMasked || this.#values.has(value)) return
    this.#values.add(value)
    this.#search = undefined
    for (const part of credentialsIn(value)) this.register(part)
  }

  /** Whether no secret is registered. */
  get isEmpty(): boolean {
    return this.#values.size === 0
  }

  /** How many texts are registered; none is ever removed. */
  get size(): number {
    return this.#values.size
  }

  /** Masks registered secrets only. Data that merely looks like a token is left alone (D-9). */
  maskKnown(text: string): string {
    if (text.length < shortestMasked || this.isEmpty) return text
    const clean = this.#mask(text)
    // A secret split by hidden characters would be whole again once they are removed later (T17).
    const { text: shown, removed } = removeHidden(clean)
    if (removed.length === 0) return clean
    const masked = this.#mask(shown)
    return masked === shown ? clean : masked
  }

  /** The same for names and addresses: a secret that is a plain word, such as "development", is hardly one in a name. */
  maskDistinct(text: string): string {
    if (text.length < shortestMasked || this.isEmpty) return text
    return maskSpans(
      text,
      this.#searched().find(text, ({ isWord }) => !isWord),
    )
  }

  /** Whether serialized JSON contains a registered secret. A secret split by hidden characters is not found here. */
  hasSecretInJson(json: string): boolean {
    return !this.isEmpty && this.#searched().has(json, () => true)
  }

  /** The same for secrets that are not a plain word: "development" in a server's list is hardly a secret. */
  hasDistinctSecretInJson(json: string): boolean {
    return !this.isEmpty && this.#searched().has(json, ({ isWord }) => !isWord)
  }

  /** Masks registered secrets, also those that are cut off at `…`, and everything that looks like a token. */
  redact(text: string): string {
    const clean = this.maskKnown(text)
    const whole = this.isEmpty || !clean.includes('…') ? clean : this.#maskCut(clean)
    return maskTokens(whole, mask)
  }

  #mask(text: string): string {
    return maskSpans(text, this.#searched().find(text))
  }

  #maskCut(text: string): string {
    return maskSpans(text, this.#searched().findCut(text))
  }

  #searched(): SecretSearch {
    return (this.#search ??= new SecretSearch(allForms(this.#values)))
  }
}

function allForms(values: Iterable<string>): readonly SecretForm[] {
  const forms = new Map<string, SecretForm>()
  for (const value of values) for (const form of formsOf(value)) forms.set(form.text, form)
  return [...forms.values()]
}

/** The credentials in the value of a header: `Bearer TOKEN`, `Basic BASE64`, where that is `user:password`. */
function credentialsIn(value: string): readonly string[] {
  const [, scheme = '', credentials = ''] = /^(Basic|Bearer|Bot|DPoP|Token|ApiKey) +(\S+)$/i.exec(value) ?? []
  if (credentials === '') return []
  if (scheme.toLowerCase() !== 'basic') return [credentials]
  const decoded = Buffer.from(credentials, 'base64').toString()
  return [credentials, decoded, decoded.slice(decoded.indexOf(':') + 1)]
}

/** Overlapping spans are masked together. */
function maskSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text
  let masked = ''
  let done = 0
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (start >= done) masked += text.slice(done, start) + mask
    done = Math.max(done, end)
  }
  return masked + text.slice(done)
}
