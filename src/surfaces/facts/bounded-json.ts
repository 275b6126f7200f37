/** JSON of at most about `max` characters. */
export interface BoundedJson {
  readonly text: string
  /** Nothing was left out. */
  readonly isWhole: boolean
}

/** Writes a value as JSON until there is no room: the work depends on `max`, and not on the size of the value. */
export function toBoundedJson(value: unknown, max: number, indent = ''): BoundedJson {
  const writer = new BoundedWriter(max, indent)
  writer.write(value, '\n')
  return { text: writer.text, isWhole: !writer.isFull }
}

const maxDepth = 200

class BoundedWriter {
  text = ''
  isFull = false
  #depth = 0
  readonly #max: number
  readonly #indent: string

  constructor(max: number, indent: string) {
    this.#max = max
    this.#indent = indent
  }

  write(value: unknown, line: string): void {
    if (typeof value === 'string') return this.#writeText(value)
    if (typeof value !== 'object' || value === null) return this.#add(JSON.stringify(value) ?? 'null')
    if (this.#depth >= maxDepth) return this.#end()
    this.#depth++
    if (Array.isArray(value)) this.#writeParts('[', ']', line, value.entries(), () => undefined)
    else this.#writeParts('{', '}', line, fieldsOf(value), (key) => this.#writeKey(key))
    this.#depth--
  }

  #writeParts<Key>(
    open: string,
    close: string,
    line: string,
    parts: Iterable<readonly [Key, unknown]>,
    writeKey: (key: Key) => void,
  ): void {
    const inner = this.#indent === '' ? '' : `${line}${this.#indent}`
    let isFirst = true
    this.#add(open)
    for (const [key, part] of parts) {
      if (this.isFull) return
      this.#add(`${isFirst ? '' : ','}${inner}`)
      writeKey(key)
      this.write(part, inner)
      isFirst = false
    }
    this.#add(isFirst || this.#indent === '' ? close : `${line}${close}`)
  }

  #writeKey(key: string): void {
    this.#writeText(key)
    this.#add(this.#indent === '' ? ':' : ': ')
  }

  #writeText(value: string): void {
    const room = this.#max - this.text.length
    // A character takes at least one in JSON.
    if (value.length <= room) return this.#add(JSON.stringify(value))
    this.#add(JSON.stringify(value.slice(0, Math.max(room, 0))).slice(0, -1))
    this.#end()
  }

  #add(text: string): void {
    if (this.isFull) return
    this.text += text
    if (this.text.length > this.#max) this.#end()
  }

  #end(): void {
    this.isFull = true
    this.text = this.text.slice(0, this.#max)
  }
}

/** The fields one by one, without a list of all of them. */
function* fieldsOf(value: object): Iterable<readonly [string, unknown]> {
  for (const key in value)
    if (Object.hasOwn(value, key)) yield [key, (value as Readonly<Record<string, unknown>>)[key]] // an own key
}
