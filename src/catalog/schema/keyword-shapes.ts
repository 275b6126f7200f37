import { isObject, isStringArray } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'

type Shape = (value: Json | undefined) => boolean

const isText: Shape = (value) => typeof value === 'string'
const isFlag: Shape = (value) => typeof value === 'boolean'
const isNumber: Shape = (value) => Number.isFinite(value)
const isPositive: Shape = (value) => typeof value === 'number' && value > 0 && value < Infinity
const isSchema: Shape = (value) => isObject(value) || isFlag(value)
const isList: Shape = (value) => Array.isArray(value)
const isNonEmptyList: Shape = (value) => Array.isArray(value) && value.length > 0

export function isCount(value: Json | undefined): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

/** The valid values of each keyword, after the metaschemas of draft 2020-12 and older drafts. */
const shapes: ReadonlyMap<string, Shape> = new Map(
  expandGroups([
    ['title description pattern format contentEncoding contentMediaType', isText],
    ['minimum maximum', isNumber],
    ['exclusiveMinimum exclusiveMaximum', (value) => isNumber(value) || isFlag(value)],
    ['multipleOf', isPositive],
    ['minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains', isCount],
    ['uniqueItems deprecated readOnly writeOnly', isFlag],
    ['examples', isList],
    ['enum anyOf oneOf allOf prefixItems', isNonEmptyList],
    ['required', isStringArray],
    [
      'properties patternProperties dependentSchemas dependentRequired dependencies additionalItems',
      isObject,
    ],
    ['contains propertyNames not if then else contentSchema', isSchema],
    ['items', (value) => isSchema(value) || isList(value)],
    ['additionalProperties unevaluatedProperties unevaluatedItems', (value) => !isList(value)],
  ]),
)

function expandGroups(groups: readonly (readonly [words: string, shape: Shape])[]) {
  return groups.flatMap(([words, shape]) => words.split(' ').map((word) => [word, shape] as const))
}

/** Whether a keyword has a valid value; unknown keywords accept any. */
export function hasValidShape(word: string, value: Json | undefined): boolean {
  return shapes.get(word)?.(value) ?? true
}
