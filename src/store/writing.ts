import type { Json } from '../model/json.ts'
import { maskTexts } from '../model/mask-texts.ts'
import type { Mask } from '../model/mask-texts.ts'
import type { Clock } from '../platform/platform.ts'

/** How values are written: without secrets, and with the time of the platform. */
export interface Writing {
  /** A plain text without secrets. */
  readonly text: Mask
  /** The JSON of a value without secrets. */
  readonly json: (value: Json) => string
  /** Now, as ISO 8601. */
  readonly now: () => string
}

export function createWriting(redact: Mask, clock: Clock): Writing {
  return {
    text: redact,
    json: (value) => JSON.stringify(maskTexts(value, redact)),
    now: () => new Date(clock.now()).toISOString(),
  }
}
