/** Words that may not name a function, a parameter or a type of a module, and globals that would be shadowed. */
const reserved = new Set(
  [
    'abstract any arguments as asserts async await bigint boolean break case catch class const continue debugger declare',
    'default delete do else enum eval export extends false finally for from function get global globalThis if implements',
    'import in infer instanceof interface is keyof let module namespace never new null number object of out override',
    'package private protected public readonly require return satisfies set static string super switch symbol this throw',
    'true try type typeof undefined unique unknown using var void while with yield constructor prototype',
    // `await import()` calls an export with this name: the namespace would be a thenable.
    'then',
  ].flatMap((line) => line.split(' ')),
)

const longest = 60

/** Gives out identifiers that are valid, not reserved, and different from each other whatever their case. */
export class IdentifierPool {
  readonly #taken: Set<string>
  /** By name, the number to try next: trying them all for each of many equal names would take quadratic time. */
  readonly #numbers = new Map<string, number>()

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken.map((name) => name.toLowerCase()))
  }

  /** `get-sum` → `getSum`. A name that is taken gets a number. */
  camel(texts: readonly string[]): readonly string[] {
    return this.#takeAll(texts, toCamel, (name) => this.#take(name, 'tool'))
  }

  /** `get-sum` → `GetSum`. */
  pascal(...texts: readonly string[]): string {
    return this.#take(texts.flatMap(wordsOf).map(upperFirst).join(''), 'Type')
  }

  /** `get_Sum` → `get-sum`: words of a command line. */
  kebab(texts: readonly string[]): readonly string[] {
    return this.#takeAll(texts, toKebab, (name) => this.#unique(name === '' ? 'tool' : name, '-'))
  }

  /** Texts that already have the form come first, so that a tool `--help` does not take the name of the tool `help`. */
  #takeAll(
    texts: readonly string[],
    toForm: (text: string) => string,
    take: (form: string) => string,
  ): readonly string[] {
    const forms = texts.map(toForm)
    const own = forms.map((form, at) => (form === texts[at] ? take(form) : undefined))
    return forms.map((form, at) => own[at] ?? take(form))
  }

  #take(name: string, fallback: string): string {
    const cut = name.slice(0, longest)
    const started = /^[A-Za-z]/.test(cut) ? cut : `${fallback}${cut}`
    return this.#unique(reserved.has(started) ? `${started}_` : started, '_')
  }

  #unique(name: string, separator: string): string {
    const key = name.toLowerCase()
    let unique = name
    let number = this.#numbers.get(key) ?? 2
    while (this.#taken.has(unique.toLowerCase())) unique = `${name}${separator}${number++}`
    this.#numbers.set(key, number)
    this.#taken.add(unique.toLowerCase())
    return unique
  }
}

/** The ASCII letters and digits of a text, as words. */
function wordsOf(text: string): readonly string[] {
  return text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
}

function toCamel(text: string): string {
  return wordsOf(text)
    .map((word, at) => (at === 0 ? lowerFirst(word) : upperFirst(word)))
    .join('')
}

function toKebab(text: string): string {
  return wordsOf(text).join('-').toLowerCase().slice(0, longest)
}

/** `GetSum` → `getSum`, `URLOf` → `urlOf`. */
function lowerFirst(word: string): string {
  return word.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase())
}

function upperFirst(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
