import { removeHidden } from './hidden.ts'

/** The symbol `util.inspect.custom`, which `console.log` uses, without loading `node:util`. */
const inspect = Symbol.for('nodejs.util.inspect.custom')
const mask = '•••'

/** A resolved secret. It prints as `•••` everywhere; only `reveal` returns the value. */
export class Secret {
  readonly #value: string
  constructor(value: string) {
    this.#value = value
  }
  reveal(): string {
    return this.#value
  }
  toString(): string {
    return mask
  }
  toJSON(): string {
    return mask
  }
  [inspect](): string {
    return mask
  }
}

/** Shorter secrets are not masked: they occur in other text by chance. */
const shortestMasked = 8

/** Tokens, keys and passwords in URLs that are recognizable by their form. */
const tokenForms =
  /\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|sk-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|hf_[A-Za-z0-9]{20,}|glpat-[A-Za-z0-9_-]{16,}|(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)|(?<=\b[Bb]earer )[A-Za-z0-9._~+/-]{8,}=*|(?<=:\/\/[^/\s:@"]{0,64}:)(?:[^/\s@"'`]|['`](?![,;:)}\]])){1,256}(?=@)|-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----(?:(?:(?!-----BEGIN|"\s{0,64}[,:}\]])[\s\S]){0,16384}?-----END [A-Z ]{0,32}PRIVATE KEY-----|(?:[A-Za-z0-9+/=\s]|\\[nr])*)/g

/** A cheap test before `tokenForms`: most texts contain no token. */
const mayHoldToken = /AKIA|gh[pousr]_|github_pat_|sk-|xox|hf_|glpat-|eyJ|earer |:\/\/[^/\s]*@|-----BEGIN/

/** The encodings of a value to mask: plain, inside JSON, URL-encoded, base64 without padding, and base64url. */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  const url = encodeURIComponent(bytes.toString())
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  return [value, JSON.stringify(value).slice(1, -1), url, base64, bytes.toString('base64url')]
}

/** Knows every resolved secret, to mask it in all output (T35). */
export class Redactor {
  /** Longest first: masking a secret that is a prefix of another would leave the tail of the longer one. */
  #forms: readonly string[] = []

  register(value: string): void {
    if (value.length < shortestMasked) return
    const forms = new Set([...this.#forms, ...formsOf(value)])
    this.#forms = [...forms].sort((a, b) => b.length - a.length)
  }

  /** Whether no secret is registered. */
  get isEmpty(): boolean {
    return this.#forms.length === 0
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

  #mask(text: string): string {
    let clean = text
    for (const form of this.#forms) if (clean.includes(form)) clean = clean.replaceAll(form, mask)
    return clean
  }

  /** Whether serialized JSON contains a registered secret. A secret split by hidden characters is not found here. */
  hasSecretInJson(json: string): boolean {
    return this.#forms.some((form) => includesText(json, form))
  }

  /** The same for secrets that are not a plain word: "development" in a server's list is hardly a secret. */
  hasDistinctSecretInJson(json: string): boolean {
    return this.#forms.some((form) => !/^[a-z]+$/i.test(form) && includesText(json, form))
  }

  /** Masks registered secrets and everything that looks like a token. */
  redact(text: string): string {
    const clean = this.maskKnown(text)
    return mayHoldToken.test(clean) ? clean.replace(tokenForms, mask) : clean
  }
}

function includesText(json: string, form: string): boolean {
  return json.includes(JSON.stringify(form).slice(1, -1))
}
