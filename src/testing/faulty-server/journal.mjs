import { appendFileSync } from 'node:fs'

/** Everything that arrived, in order: kept for the tool `journal`, and appended to a file where the script names one. */
export function createJournal(file) {
  const entries = []
  return {
    entries,
    add(entry) {
      entries.push(entry)
      if (file) appendFileSync(file, `${JSON.stringify(entry)}\n`)
    },
  }
}
