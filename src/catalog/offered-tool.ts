import { appAddressOf } from '../model/app/app-meta.ts'
import { hashDefinition } from '../model/definition/canonical-definition.ts'
import { withoutHidden } from '../model/hidden.ts'
import { isEqual, isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { toRef } from '../model/tool.ts'
import type { Annotations, Tool, ToolDefinition } from '../model/tool.ts'
import type { NameClaim } from './tool-names.ts'

/** Which tools of a server may run in parallel: none, those annotated as read-only, or all (C25, D19). */
export type Parallel = 'never' | 'readOnlyHint' | 'always'

export interface OfferOptions {
  readonly server: string
  readonly parallel: Parallel
  /** `bracketed` puts the server's name in brackets before each description (D17). */
  readonly descriptions: 'as-sent' | 'bracketed'
  /** `always` adds empty `properties` to an object schema, as some providers require it (O14). */
  readonly properties: 'as-sent' | 'always'
  /** No text of the definition contains hidden characters, so it is used without a check. */
  readonly isPlain: boolean
  /** Hashes of the original definitions, by name, for tools in whose texts a secret was masked. */
  readonly hashes?: Readonly<Record<string, string>> | undefined
}

/**
 * A tool made from its server's definition, with hidden characters removed from its texts (T13, T17). The hash is of
 * the original definition, and is computed on first use because thousands of tools are created at a time.
 */
export class OfferedTool implements Tool {
  readonly ref: string
  readonly name: string
  declare readonly title?: string
  readonly description: string
  readonly inputSchema: JsonObject
  declare readonly outputSchema?: JsonObject
  readonly annotations: Annotations
  readonly server: string
  readonly tool: string
  readonly concurrencySafe: boolean
  declare readonly app?: string
  readonly #definition: ToolDefinition
  readonly #options: OfferOptions
  #hash: string | undefined

  constructor(definition: ToolDefinition, name: string, options: OfferOptions) {
    const { description, title, inputSchema, outputSchema, annotations } = options.isPlain
      ? definition
      : withoutHidden(definition)
    this.#definition = definition
    this.#options = options
    this.server = options.server
    this.tool = definition.name
    this.ref = toRef(options.server, definition.name)
    this.name = name
    this.annotations = readAnnotations(annotations)
    const displayTitle = typeof title === 'string' ? title : this.annotations.title
    if (displayTitle !== undefined) this.title = displayTitle
    const text = typeof description === 'string' ? shortenDescription(description) : ''
    this.description = options.descriptions === 'bracketed' ? `[${options.server}] ${text}` : text
    this.inputSchema = options.properties === 'always' ? withProperties(inputSchema) : inputSchema
    if (isObject(outputSchema)) this.outputSchema = outputSchema
    this.concurrencySafe = isConcurrencySafe(options.parallel, this.annotations)
    const app = appAddressOf(definition)
    if (app !== undefined) this.app = app
  }

  get hash(): string {
    const { hashes = {} } = this.#options
    const known = Object.hasOwn(hashes, this.tool) ? hashes[this.tool] : undefined
    return (this.#hash ??= known ?? hashDefinition(this.#definition))
  }

  get definition(): ToolDefinition {
    return this.#definition
  }

  /** A copy of this tool under another name. */
  named(name: string): OfferedTool {
    const renamed = new OfferedTool(this.#definition, name, this.#options)
    renamed.#hash = this.#hash
    return renamed
  }

  toJSON(): Tool {
    return Object.assign({ hash: this.hash }, this)
  }
}

/** What a server says about a tool, in full, without hidden characters and under the name that it has here. */
export function definitionOf(tool: Tool): ToolDefinition {
  const { name, description, inputSchema } = tool
  if (!(tool instanceof OfferedTool)) return { name, description, inputSchema }
  return { ...withoutHidden(tool.definition), name, description, inputSchema }
}

/** Limit for descriptions: they are part of every model request (T23). */
const maxDescription = 32 * 1024

function shortenDescription(text: string): string {
  if (text.length <= maxDescription) return text
  // Do not cut a surrogate pair in half.
  return `${text.slice(0, maxDescription).replace(/[\uD800-\uDBFF]$/, '')}\n[The rest was left out.]`
}

const noAnnotations: Annotations = {}

/** Ignores annotations of a wrong type. */
function readAnnotations(sent: Json | undefined): Annotations {
  if (!isObject(sent)) return noAnnotations
  const read: { -readonly [K in keyof Annotations]: Annotations[K] } = {}
  if (typeof sent['title'] === 'string') read.title = sent['title']
  for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const) {
    const value = sent[hint]
    if (typeof value === 'boolean') read[hint] = value
  }
  // The older spelling is honored only when it denies (P4, C12).
  if (sent['readOnly'] === false) read.readOnlyHint = false
  return read
}

function isConcurrencySafe(parallel: Parallel, { readOnlyHint }: Annotations): boolean {
  return parallel === 'always' || (parallel === 'readOnlyHint' && readOnlyHint === true)
}

function withProperties(schema: JsonObject): JsonObject {
  return schema['type'] === 'object' && !isObject(schema['properties'])
    ? { ...schema, properties: {} }
    : schema
}

/** A tool for as long as its server lists it. Keeps its claim to a name when the definition changes. */
export class ToolRecord implements NameClaim {
  readonly server: string
  readonly tool: string
  readonly plain: string
  readonly isExact: boolean
  name = ''
  #definition: ToolDefinition
  #options: OfferOptions
  #offered: OfferedTool | undefined

  constructor(
    { server, tool, plain, isExact }: NameClaim,
    definition: ToolDefinition,
    options: OfferOptions,
  ) {
    this.server = server
    this.tool = tool
    this.plain = plain
    this.isExact = isExact
    this.#definition = definition
    this.#options = options
  }

  /** The tool in its current form; the same object while neither its definition nor its name changes. */
  get offered(): OfferedTool {
    const known = this.#offered
    if (known?.name === this.name) return known
    return (this.#offered =
      known?.named(this.name) ?? new OfferedTool(this.#definition, this.name, this.#options))
  }

  /**
   * Sets the definition; returns whether it changed. Another order of keys is no change: a model keeps seeing the same
   * bytes.
   */
  define(definition: ToolDefinition, options: OfferOptions): boolean {
    const isSame = this.#options.parallel === options.parallel && isEqual(this.#definition, definition)
    if (isSame) return false
    this.#definition = definition
    this.#options = options
    this.#offered = undefined
    return true
  }
}
