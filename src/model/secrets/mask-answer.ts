import type { Json } from '../json.ts'
import { maskTexts } from '../mask-texts.ts'
import type { Redactor } from './redactor.ts'

/** An answer with known secrets masked (T35). */
export function maskAnswer(answer: Json, redactor: Redactor): Json {
  return redactor.isEmpty ? answer : maskTexts(answer, (text) => redactor.maskKnown(text), true)
}
