import { removeHidden } from './hidden.ts'

/** How `console.log` asks an object for its text; the same symbol as `util.inspect.custom`, without loading it. */
const inspect = Symbol.for('nodejs.util.inspect.custom')
const mask = '•••'

/** A resolved secret: it prints as dots wherever it ends up, and only `reveal` gives it away. */
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

/** Fewer characters than this are too common to search for in other text. */
const shortestMasked = 8

/** Tokens that give themselves away by their form, whoever wrote them. */
const tokenForms =
  /\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|sk-[A-Za-z0-9_-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|hf_[A-Za-z0-9]{20,}|glpat-[A-Za-z0-9_-]{16,}|(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)|(?<=\b[Bb]earer )[A-Za-z0-9._~+/-]{8,}=*|(?<=:\/\/[^/\s:@"]{0,64}:)(?:[^/\s@"'`]|['`](?![,;:)}\]])){1,256}(?=@)|-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----(?:(?:(?!-----BEGIN|"\s{0,64}[,:}\]])[\s\S]){0,16384}?-----END [A-Z ]{0,32}PRIVATE KEY-----|(?:[A-Za-z0-9+/=\s]|\\[nr])*)/g

/** Cheap to ask first: most texts hold none. */
const mayHoldToken = /AKIA|gh[pousr]_|github_pat_|sk-|xox|hf_|glpat-|eyJ|earer |:\/\/[^/\s]*@|-----BEGIN/

/** A value as it looks inside JSON, in a url, and in base64 with or without its padding. */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  const url = encodeURIComponent(bytes.toString())
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  return [value, JSON.stringify(value).slice(1, -1), url, base64, bytes.toString('base64url')]
}

/** Every secret that was resolved, so that everything we print can be cleared of it (T35). */
export class Redactor {
  /** The longest first, so that a secret which begins like another one leaves no tail. */
  #forms: readonly string[] = []

  register(value: string): void {
    if (value.length < shortestMasked) return
    const forms = new Set([...this.#forms, ...formsOf(value)])
    this.#forms = [...forms].sort((a, b) => b.length - a.length)
  }

  /** There is nothing that a text could be cleared of. */
  get isEmpty(): boolean {
    return this.#forms.length === 0
  }

  /** Only what was registered: in data, what merely looks like a token is somebody's data (D-9). */
  maskKnown(text: string): string {
    if (text.length < shortestMasked || this.isEmpty) return text
    const clean = this.#mask(text)
    // Where what nobody sees is taken out later, a secret that it parts would be whole again (T17).
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

  /** Whether a text within this JSON holds one; one that is parted is not seen here. */
  hasSecretInJson(json: string): boolean {
    return this.#forms.some((form) => isIn(json, form))
  }

  /** The same without values that are a word: "development" in a list of a server's is no secret of anybody's. */
  hasDistinctSecretInJson(json: string): boolean {
    return this.#forms.some((form) => !/^[a-z]+$/i.test(form) && isIn(json, form))
  }

  /** What looks like a token as well. */
  redact(text: string): string {
    const clean = this.maskKnown(text)
    return mayHoldToken.test(clean) ? clean.replace(tokenForms, mask) : clean
  }
}

function isIn(json: string, form: string): boolean {
  return json.includes(JSON.stringify(form).slice(1, -1))
}
