import type { Mask } from '../model/mask-texts.ts'
import { fitForModel } from './limit.ts'
import type { ModelText, ResultLimits } from './limit.ts'
import { neutralize } from './render/render.ts'
import type { Render } from './render/render.ts'
import type { Spill } from './spill.ts'
import { maskOutput } from './tool-output.ts'
import type { Output } from './tool-output.ts'

interface LargeOutputDeps {
  readonly mask?: Mask | undefined
  readonly render: Render
  readonly limits: ResultLimits
  readonly spill?: Spill
}

/** An output with large structured content, and its text for a model. */
export interface LimitedOutput {
  readonly output: Output
  readonly fitted: ModelText
}

/**
 * FI-89: structured content of megabytes is shown as its size and stored as the server sent it. Walking a million values
 * to mask, compare and serialize them takes seconds, in which no other call would proceed; searching the text takes
 * milliseconds. `undefined` if the text contains a secret: then each value has to be masked.
 */
export async function limitLargeOutput(
  { structured, ...shown }: Output,
  json: string,
  { mask, render, limits, spill }: LargeOutputDeps,
): Promise<LimitedOutput | undefined> {
  if (mask && holdsSecret(json, mask)) return undefined
  const bytes = Buffer.byteLength(json)
  const path = await spill?.(neutralize(json))
  const place =
    path === undefined ? 'It was not kept.' : `The whole answer of the server is in the file ${path}`
  const notice = { type: 'text', text: `[structured content: ${bytes} bytes of JSON. ${place}]` }
  const masked = mask ? maskOutput(shown, mask) : shown
  const rendered = neutralize(render({ ...masked, blocks: [...masked.blocks, notice] }))
  const fitted = await fitForModel(mask ? mask(rendered) : rendered, limits, spill)
  const spilled = path === undefined ? { isIncomplete: true } : { spilled: { path, bytes } }
  return {
    output: { ...masked, ...(structured !== undefined && { structured }) },
    fitted: { ...spilled, ...fitted },
  }
}

/** Whether masking would change a text of this JSON, also one that is written with `\u` escapes. */
function holdsSecret(json: string, mask: Mask): boolean {
  if (mask(json) !== json) return true
  if (!json.includes('\\u')) return false
  const plain = json.replace(/\\u([0-9a-fA-F]{4})/g, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  )
  return mask(plain) !== plain
}
