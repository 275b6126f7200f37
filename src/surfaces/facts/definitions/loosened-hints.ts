import type { JsonObject } from '../../../index.ts'
import { isObject } from '../../../internal.ts'

/** The value of each hint that promises less harm. A hint that is absent promises nothing. */
const harmless: Readonly<Record<string, boolean>> = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** The hints by which a tool promised less harm than it does now. */
export function loosenedHints(accepted: JsonObject | undefined, current: JsonObject): readonly string[] {
  const [before, after] = [hintsOf(accepted), hintsOf(current)]
  return Object.entries(harmless).flatMap(([name, value]) =>
    before[name] === value && after[name] !== value ? name : [],
  )
}

function hintsOf(definition: JsonObject | undefined): JsonObject {
  const hints = definition?.['annotations']
  return isObject(hints) ? hints : {}
}
