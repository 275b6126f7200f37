import { removeHidden } from '../../model/hidden.ts'
import { isForbiddenKey } from '../../model/json.ts'

/** Why no file should get a server of this name; `undefined` if it may. Owners of files may allow less. */
export function problemWithName(name: string): string | undefined {
  if (name === '') return 'the name is empty.'
  if (name.length > maxLength) return `the name is longer than ${maxLength} characters.`
  if (toVisible(name) !== name) {
    return `the name ${JSON.stringify(name)} has hidden characters or blanks at its ends.`
  }
  return isForbiddenKey(name) ? `"${name}" cannot be a name.` : undefined
}

/** The name with a hyphen for every character that the pattern matches; `undefined` if no usable name is left. */
export function proposeName(name: string, refused?: RegExp): string | undefined {
  const plain = refused?.test(toVisible(name)) ? withoutAccents(toVisible(name)) : toVisible(name)
  const replaced = refused
    ? plain.replaceAll(new RegExp(`(?:${refused.source})+`, `${refused.flags}g`), '-')
    : plain
  const proposed = replaced.slice(0, maxLength).replaceAll(/^[-\s]+|[-\s]+$/g, '')
  return problemWithName(proposed) === undefined ? proposed : undefined
}

const maxLength = 100

function toVisible(name: string): string {
  return removeHidden(name)
    .text.replaceAll(/[\n\t]+/g, ' ')
    .trim()
}

function withoutAccents(name: string): string {
  return name.normalize('NFKD').replaceAll(/\p{Mn}/gu, '')
}
