import { appendFileSync } from 'node:fs'

/** Everything received, in order: kept for the tool `journal`, and appended to the journal file of the script. */
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
