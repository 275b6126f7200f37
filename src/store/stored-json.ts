import type { Json } from '../model/json.ts'

/** The value of a stored text. A row that something else has damaged is shown as its text, and costs no other row. */
export function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json // written by `Writing.json`
  } catch {
    return text
  }
}
