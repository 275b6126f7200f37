import { isList, isObject } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'
import { canonicalDefinition } from './canonical-definition.ts'

/**
 * What is passed on of a definition to a client: what an acceptance covers, and pictures. Volatile `_meta` stays here, and a
 * picture has only the keys of the protocol, in their form: a text in either would reach a model without being accepted (T12).
 */
export function passedDefinition(sent: JsonObject): JsonObject {
  const icons = isList(sent['icons']) ? sent['icons'].flatMap(toIcon) : []
  const covered = canonicalDefinition(sent) as JsonObject // only instructions are text
  return icons.length === 0 ? covered : { ...covered, icons }
}

function toIcon(icon: Json): readonly JsonObject[] {
  if (!isObject(icon)) return []
  const { src, mimeType, sizes, theme } = icon
  if (typeof src !== 'string' || !isPicture(src)) return []
  const known = isList(sizes) ? sizes.filter((size) => isForm(size, /^(?:any|\d{1,5}x\d{1,5})$/)) : []
  return [
    {
      src,
      ...(isForm(mimeType, /^image\/[\w.+-]{1,50}$/) && { mimeType }),
      ...(known.length > 0 && { sizes: known }),
      ...(isForm(theme, /^(?:light|dark)$/) && { theme }),
    },
  ]
}

/** An address, or the picture itself. */
function isPicture(src: string): boolean {
  return /^data:image\/[\w.+-]+(?:;[\w=-]+)*,[\w+/=%.-]*$/.test(src) || (src.length <= 2048 && isAddress(src))
}

function isAddress(src: string): boolean {
  return /^https?:\/\/\S+$/.test(src) && URL.canParse(src)
}

function isForm(value: Json | undefined, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}
