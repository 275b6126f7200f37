import type { DiagnosticCode, Severity } from '../../model/diagnostic.ts'
import { isObject, toPointer } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { OpenFile, Report } from '../source.ts'

interface DiagnosticDetails {
  /** The key that the diagnostic points to; the entry itself if absent. */
  readonly key?: string | readonly (string | number)[]
  readonly hint?: string
  /** The key that was probably meant. */
  readonly meant?: string
}

/** One entry of a file, read key by key. A value of the wrong type is reported and treated as absent. */
export class Entry {
  readonly name: string
  readonly path: readonly (string | number)[]
  readonly value: JsonObject
  readonly file: OpenFile
  readonly #report: Report
  readonly #readKeys = new Set<string>()
  /** The object under `nestedUnder`, whose keys count as the entry's own. */
  readonly #nested: { readonly key: string; readonly value: JsonObject } | undefined
  /** Set by the first error: the entry is shown but not used. */
  refused = false

  constructor(
    name: string,
    path: readonly (string | number)[],
    value: JsonObject,
    file: OpenFile,
    report: Report,
    nestedUnder?: string,
  ) {
    this.name = name
    this.path = path
    this.value = value
    this.file = file
    this.#report = report
    const nested = nestedUnder === undefined ? undefined : value[nestedUnder]
    this.#nested =
      nestedUnder !== undefined && isObject(nested) ? { key: nestedUnder, value: nested } : undefined
  }

  get pointer(): string {
    return toPointer(this.path)
  }

  /** The client's name, as it begins a sentence. */
  get owner(): string {
    return this.#report.owner
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  /** `null` counts as absent, as for every client. */
  get(key: string): Json | undefined {
    const holder = this.#nestedWith(key)?.value ?? this.value
    if (!Object.hasOwn(holder, key)) return undefined
    this.#readKeys.add(key)
    return holder[key] ?? undefined
  }

  /** The first of several spellings that is present. */
  firstOf(keys: readonly string[]): string | undefined {
    let first: string | undefined
    for (const key of keys) if (this.has(key)) first ??= key
    return first
  }

  string(key: string, severity: Severity = 'warn'): string | undefined {
    const value = this.get(key)
    if (value === undefined || typeof value === 'string') return value
    return this.#wrongType(key, 'a string', severity)
  }

  boolean(key: string, severity: Severity = 'warn'): boolean | undefined {
    const value = this.get(key)
    if (value === undefined || typeof value === 'boolean') return value
    return this.#wrongType(key, 'true or false', severity)
  }

  number(key: string): number | undefined {
    const value = this.get(key)
    if (value === undefined || typeof value === 'number') return value
    return this.#wrongType(key, 'a number', 'warn')
  }

  object(key: string, severity: Severity = 'warn'): JsonObject | undefined {
    const value = this.get(key)
    if (value === undefined || isObject(value)) return value
    return this.#wrongType(key, 'an object', severity)
  }

  /** A list of strings. Numbers and booleans are converted with a warning; anything else makes the list unusable. */
  strings(key: string, severity: Severity = 'warn'): readonly string[] | undefined {
    const value = this.get(key)
    if (value === undefined) return undefined
    if (!Array.isArray(value)) return this.#wrongType(key, 'a list of strings', severity)
    const items = value as readonly Json[] // Array.isArray does not narrow a readonly union
    if (items.some((item) => item === null || typeof item === 'object')) {
      return this.#wrongType(key, 'a list of strings', severity)
    }
    if (items.some((item) => typeof item !== 'string')) {
      this.warn('wrong-type', `"${key}" must be a list of strings; other values were converted.`, { key })
    }
    return items.map(String)
  }

  warn(code: DiagnosticCode, message: string, details: DiagnosticDetails = {}): void {
    this.report(code, 'warn', message, details)
  }

  info(code: DiagnosticCode, message: string, details: DiagnosticDetails = {}): void {
    this.report(code, 'info', message, details)
  }

  /** Reports an error and marks the entry as unusable. */
  refuse(code: DiagnosticCode, message: string, details: DiagnosticDetails = {}): void {
    this.refused = true
    this.report(code, 'error', message, details)
  }

  report(
    code: DiagnosticCode,
    severity: Severity,
    message: string,
    { key, hint, meant }: DiagnosticDetails = {},
  ): void {
    const path = key === undefined ? this.path : this.#pathTo(typeof key === 'string' ? [key] : key)
    this.#report.add(code, severity, message, {
      file: this.file,
      pointer: toPointer(path),
      server: this.name,
      ...(hint !== undefined && { hint }),
      ...(meant !== undefined && { meant }),
    })
  }

  /** The object under one of its keys, as an entry that is read the same way. */
  entryUnder(key: string, value: JsonObject): Entry {
    return new Entry(this.name, [...this.path, key], value, this.file, this.#report)
  }

  /** Keys that were not read. */
  unreadKeys(): readonly string[] {
    if (this.#nested === undefined && Object.keys(this.value).length === this.#readKeys.size) return []
    const keys = [...Object.keys(this.value), ...Object.keys(this.#nested?.value ?? {})]
    return keys.filter((key) => key !== this.#nested?.key && !this.#readKeys.has(key))
  }

  #nestedWith(
    key: string | number | undefined,
  ): { readonly key: string; readonly value: JsonObject } | undefined {
    return key !== undefined && this.#nested && Object.hasOwn(this.#nested.value, key)
      ? this.#nested
      : undefined
  }

  #pathTo(keys: readonly (string | number)[]): readonly (string | number)[] {
    const nested = this.#nestedWith(keys[0])
    return nested ? [...this.path, nested.key, ...keys] : [...this.path, ...keys]
  }

  #wrongType(key: string, wanted: string, severity: Severity): undefined {
    const found = this.get(key)
    const kind = Array.isArray(found) ? 'a list' : isObject(found) ? 'an object' : JSON.stringify(found)
    const message = `"${key}" must be ${wanted}, not ${kind}.`
    if (severity === 'error') this.refuse('wrong-type', message, { key })
    else this.warn('wrong-type', `${message} It is ignored.`, { key })
    return undefined
  }
}
