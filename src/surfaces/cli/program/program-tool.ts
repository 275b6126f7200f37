import type { Json, JsonObject } from '../../../index.ts'
import { isObject, isOfType, propertyOf, requiredOf, resolveRef } from '../../../internal.ts'
import { ArgumentSchema } from '../arguments/argument-schema.ts'

/** One tool of a generated program, as it was when the program was generated. */
export interface ProgramTool {
  /** The word that calls it. */
  readonly command: string
  readonly tool: string
  readonly title?: string
  readonly description: string
  readonly inputSchema: JsonObject
}

export interface ProgramDefinition {
  readonly server: string
  readonly tools: readonly ProgramTool[]
}

/** A flag for one argument of a tool. */
export interface ToolFlag {
  /** Without dashes. */
  readonly name: string
  readonly argument: string
  /** `--flag` alone is true, `--no-flag` false. */
  readonly isSwitch: boolean
  readonly isRequired: boolean
  /** What a value looks like, for help. */
  readonly value: string
  readonly description: string
}

/** The flags of a tool: required ones first, each in the order of names. Arguments that no flag can name are left out. */
export function flagsOf({ inputSchema }: ProgramTool): readonly ToolFlag[] {
  const schema = new ArgumentSchema(inputSchema)
  const { properties } = inputSchema
  const names = isObject(properties) ? Object.keys(properties).filter(isFlagName).sort() : []
  const required = new Set(requiredOf(inputSchema))
  const kebab = names.map(toKebab)
  const flags = names.map((argument, at): ToolFlag => {
    const own = kebab[at] ?? ''
    const isUnique = kebab.filter((each) => each === own).length === 1 && !names.includes(own)
    const wanted = schema.ofArgument(argument)
    const shown = propertyOf(inputSchema, argument)
    return {
      name: isUnique ? own : argument,
      argument,
      isSwitch: schema.admits(wanted, true) && !schema.admits(wanted, ''),
      isRequired: required.has(argument),
      value: valueOf(schema, wanted),
      description: describe(shown, inputSchema),
    }
  })
  return [...flags.filter((flag) => flag.isRequired), ...flags.filter((flag) => !flag.isRequired)]
}

/** Arguments without a flag; `--args` takes them. */
export function argumentsWithoutFlag({ inputSchema: { properties } }: ProgramTool): readonly string[] {
  return isObject(properties) ? Object.keys(properties).filter((name) => !isFlagName(name)) : []
}

/** `--help` always prints help. */
function isFlagName(name: string): boolean {
  return !/^_*help$/i.test(name) && /^[A-Za-z0-9_][\w.-]{0,60}$/.test(name)
}

/** `maxResults` and `max_results` → `max-results` */
function toKebab(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .replace(/^-+/, '')
    .toLowerCase()
}

const samples: readonly (readonly [Json, string])[] = [
  ['', 'TEXT'],
  [0.5, 'NUMBER'],
  [0, 'NUMBER'],
  [[], 'LIST'],
  [{}, 'JSON'],
]

function valueOf(schema: ArgumentSchema, wanted: Json | undefined): string {
  const listed = isObject(wanted) && Array.isArray(wanted['enum']) ? (wanted['enum'] as readonly Json[]) : [] // isArray does not narrow a readonly union
  if (listed.length > 0 && listed.length <= 8 && listed.every((value) => typeof value !== 'object')) {
    const values = listed.map(String).join('|')
    if (values.length <= 200) return values
  }
  if (schema.admitsAll(wanted)) return 'VALUE'
  return samples.find(([value]) => schema.admits(wanted, value))?.[1] ?? 'VALUE'
}

function describe(shown: Json | undefined, root: JsonObject): string {
  const schema = isObject(shown) ? shown : {}
  const target = resolveRef(schema['$ref'], root)
  const from = { ...(isObject(target) ? target : {}), ...schema }
  const { description, default: fallback } = from
  const text = typeof description === 'string' ? description : ''
  const isShown = fallback !== undefined && isOfType(fallback, ['string', 'number', 'boolean']) === true
  return [text, isShown ? `(default ${JSON.stringify(fallback)})` : '']
    .filter((part) => part !== '')
    .join(' ')
}
