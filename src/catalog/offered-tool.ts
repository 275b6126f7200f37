import { hashOf } from '../model/canonical.ts'
import { withoutHidden } from '../model/hidden.ts'
import { isEqual, isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { toRef } from '../model/tool.ts'
import type { Annotations, Tool, ToolDefinition } from '../model/tool.ts'
import type { Claim } from './tool-names.ts'

/** Whether an agent may run a server's tools beside others: never, those that say they only read, or all (C25, D19). */
export type Parallel = 'never' | 'readOnlyHint' | 'always'

export interface Offering {
  readonly server: string
  readonly parallel: Parallel
  /** Whether a description begins with the name of its server in brackets (D17). */
  readonly descriptions: 'as-sent' | 'bracketed'
  /** Some providers refuse an object schema without `properties` (O14). */
  readonly properties: 'as-sent' | 'always'
  /** Nothing is hidden in any text of the definition; where that is not known, each is looked at. */
  readonly isPlain: boolean
  /** Of tools whose texts were masked, by name: the hash of the definition as it came. */
  readonly hashes?: Readonly<Record<string, string>> | undefined
}

/**
 * A tool made of its server's definition, with nothing hidden in what a model is told (T13, T17); its hash is of the
 * definition as it came. Thousands are made at a time: what few ask for is made when they ask.
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
  readonly #definition: ToolDefinition
  readonly #offering: Offering
  #hash: string | undefined

  constructor(definition: ToolDefinition, name: string, offering: Offering) {
    const { description, title, inputSchema, outputSchema, annotations } = offering.isPlain
      ? definition
      : withoutHidden(definition)
    this.#definition = definition
    this.#offering = offering
    this.server = offering.server
    this.tool = definition.name
    this.ref = toRef(offering.server, definition.name)
    this.name = name
    this.annotations = readAnnotations(annotations)
    const shown = typeof title === 'string' ? title : this.annotations.title
    if (shown !== undefined) this.title = shown
    const told = typeof description === 'string' ? shorten(description) : ''
    this.description = offering.descriptions === 'bracketed' ? `[${offering.server}] ${told}` : told
    this.inputSchema = offering.properties === 'always' ? withProperties(inputSchema) : inputSchema
    if (isObject(outputSchema)) this.outputSchema = outputSchema
    this.concurrencySafe = isConcurrencySafe(offering.parallel, this.annotations)
  }

  get hash(): string {
    const { hashes = {} } = this.#offering
    const known = Object.hasOwn(hashes, this.tool) ? hashes[this.tool] : undefined
    return (this.#hash ??= known ?? hashDefinition(this.#definition))
  }

  get definition(): ToolDefinition {
    return this.#definition
  }

  /** The same tool under another name. */
  named(name: string): OfferedTool {
    const renamed = new OfferedTool(this.#definition, name, this.#offering)
    renamed.#hash = this.#hash
    return renamed
  }

  toJSON(): Tool {
    return Object.assign({ hash: this.hash }, this)
  }
}

/** More is no description, and is paid for in every turn of a model (T23). */
const maxTold = 32 * 1024

function shorten(text: string): string {
  if (text.length <= maxTold) return text
  // Never half a character.
  return `${text.slice(0, maxTold).replace(/[\uD800-\uDBFF]$/, '')}\n[The rest was left out.]`
}

/** Of all the words of a definition that reach a model, whatever the tool is called there (D-11). */
export function hashDefinition(definition: ToolDefinition): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition
  return hashOf({ name, title, description, inputSchema, outputSchema, annotations })
}

const none: Annotations = {}

/** What is not of its type was not said. */
function readAnnotations(said: Json | undefined): Annotations {
  if (!isObject(said)) return none
  const read: { -readonly [K in keyof Annotations]: Annotations[K] } = {}
  if (typeof said['title'] === 'string') read.title = said['title']
  for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const) {
    const value = said[hint]
    if (typeof value === 'boolean') read[hint] = value
  }
  // The older spelling can only take a promise back (P4, C12).
  if (said['readOnly'] === false) read.readOnlyHint = false
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

/** One tool of one server for as long as the server has it: it keeps its claim to a name whatever its definition says. */
export class Entry implements Claim {
  readonly server: string
  readonly tool: string
  readonly plain: string
  readonly isExact: boolean
  name = ''
  #definition: ToolDefinition
  #offering: Offering
  #offered: OfferedTool | undefined

  constructor({ server, tool, plain, isExact }: Claim, definition: ToolDefinition, offering: Offering) {
    this.server = server
    this.tool = tool
    this.plain = plain
    this.isExact = isExact
    this.#definition = definition
    this.#offering = offering
  }

  /** The tool as it is offered now; the same object for as long as nothing about it changes. */
  get offered(): OfferedTool {
    const known = this.#offered
    if (known?.name === this.name) return known
    return (this.#offered =
      known?.named(this.name) ?? new OfferedTool(this.#definition, this.name, this.#offering))
  }

  /** Whether that says anything new. The same in another order of keys does not: a model is shown what it was shown. */
  define(definition: ToolDefinition, offering: Offering): boolean {
    const isSame = this.#offering.parallel === offering.parallel && isEqual(this.#definition, definition)
    if (isSame) return false
    this.#definition = definition
    this.#offering = offering
    this.#offered = undefined
    return true
  }
}
