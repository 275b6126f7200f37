import { isList, toPointer } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { FindingSubject } from '../../model/finding.ts'
import { maxDepth, maxTexts } from './budget.ts'

/** The part that a text plays for its reader: an imperative means one thing in a description, another in a parameter. */
export type Place =
  /** What the thing is or does. */
  | 'description'
  | 'title'
  | 'name'
  /** What to put into an argument. */
  | 'parameter'
  | 'key'
  /** Enums, defaults, constants, examples. */
  | 'value'
  | 'meta'
  /** Server instructions, prompts' messages: text that is meant as an instruction. */
  | 'instructions'
  /** Results, errors: data. */
  | 'data'
  /** A question to the person or a request to a model. */
  | 'request'

/** One text that a model or a person may see. */
export interface Surface {
  readonly pointer: string
  readonly text: string
  readonly place: Place
  /** The last key above the text that is a name of the author: a property, or the tool's own key. */
  readonly owner?: string
  /** The parameter is a switch: an imperative in its description tells what it does. */
  readonly isFlag?: boolean
}

export interface Surfaces {
  readonly list: readonly Surface[]
  /** Texts beyond the limits were left out. */
  readonly isCut: boolean
}

/** Keys whose values are technical terms, not prose. */
const technical = new Set([
  'type',
  '$schema',
  '$ref',
  '$id',
  'format',
  'mimeType',
  'contentEncoding',
  'jsonrpc',
])

/** Every text of a definition, keys included, in the order of the definition. */
export function surfacesOf(value: Json, kind: FindingSubject['kind']): Surfaces {
  const list: Surface[] = []
  let isCut = false
  const add = (surface: Surface) => {
    if (list.length >= maxTexts) isCut = true
    else list.push(surface)
  }
  const walk = (
    node: Json,
    path: readonly (string | number)[],
    place: Place,
    owner: string | undefined,
    isSwitch = false,
  ): void => {
    if (isCut) return
    if (typeof node === 'string') {
      add({
        pointer: toPointer(path),
        // The words of a pattern, without its operators.
        text: path.at(-1) === 'pattern' ? node.replace(/\(\?[:=!<]{1,2}|[\^$()|+*[\]{}\\]/g, ' ') : node,
        place,
        ...(owner !== undefined && { owner }),
        ...(isSwitch && { isFlag: true }),
      })
      return
    }
    if (typeof node !== 'object' || node === null) return
    if (path.length >= maxDepth) {
      isCut = true
      return
    }
    if (isList(node)) {
      for (const [index, item] of node.entries())
        walk(item, [...path, index], placeOfItem(place, path), owner)
      return
    }
    const isFlag = node['type'] === 'boolean'
    for (const [key, item] of Object.entries(node)) {
      const at = [...path, key]
      const isAuthored = isAuthoredKey(path)
      if (isAuthored || place === 'meta') add({ pointer: toPointer(at), text: key, place: 'key', owner: key })
      walk(item, at, placeOf(key, at, place, kind, isAuthored), isAuthored ? key : owner, isFlag)
    }
  }
  walk(value, [], rootPlace(kind, typeof value === 'string'), undefined)
  return { list, isCut }
}

/** @param isText What was read of a resource, prompt or skill, not its definition. */
function rootPlace(kind: FindingSubject['kind'], isText: boolean): Place {
  if (kind === 'instructions' || ((kind === 'prompt' || kind === 'skill') && isText)) return 'instructions'
  if (kind === 'result' || kind === 'error' || (kind === 'resource' && isText)) return 'data'
  return kind === 'elicitation' || kind === 'sampling' ? 'request' : 'description'
}

/** Whether the keys of the object at this path were chosen by the author: properties of a schema, definitions. */
function isAuthoredKey(path: readonly (string | number)[]): boolean {
  const last = path.at(-1)
  const isMap =
    last === 'properties' || last === '$defs' || last === 'definitions' || last === 'patternProperties'
  return isMap && path.at(-2) !== 'properties'
}

function placeOf(
  key: string,
  path: readonly (string | number)[],
  above: Place,
  kind: FindingSubject['kind'],
  isAuthored: boolean,
): Place {
  if (above === 'meta' || above === 'value' || above === 'data') return above
  if (isAuthored) return 'parameter'
  switch (key) {
    case '_meta':
      return 'meta'
    case 'name':
      return path.length === 1 ? 'name' : kind === 'prompt' ? 'key' : 'value'
    case 'title':
      return path.length <= 2 ? 'title' : 'parameter'
    case 'description':
      return path.length === 1 ? (kind === 'sampling' ? 'request' : 'description') : 'parameter'
    case 'enum':
    case 'const':
    case 'default':
    case 'example':
    case 'examples':
    case 'enumNames':
      return 'value'
    case 'messages':
      return kind === 'sampling' ? 'request' : 'instructions'
    default:
      if (technical.has(key)) return 'value'
      return kind === 'elicitation' || kind === 'sampling' ? 'request' : key.startsWith('x-') ? 'meta' : above
  }
}

function placeOfItem(place: Place, path: readonly (string | number)[]): Place {
  return path.at(-1) === 'required' ? 'key' : place
}
