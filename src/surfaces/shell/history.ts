import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { nodePlatform } from '../../index.ts'
import { redactArguments, redactText, redactWords, stateDirectory } from '../../internal.ts'
import { escapeLine } from '../terminal/escape.ts'
import { splitLine } from './words.ts'

export interface History {
  /** The newest first. */
  lines(): readonly string[]
  add(line: string): void
}

const most = 1000

/** Lines typed before, in a private file; a line with a secret in it is remembered for this shell alone. */
export function openHistory(file = historyFile()): History {
  const kept = quietly(() => readFileSync(file, 'utf8').split('\n').filter(isPlain)) ?? []
  if (kept.length > 2 * most) quietly(() => replace(file, kept.slice(-most)))
  let lines = [...new Set(kept.reverse())].slice(0, most)
  return {
    lines: () => lines,
    add(line) {
      if (!isPlain(line)) return
      lines = [line, ...lines.filter((each) => each !== line)].slice(0, most)
      if (!hasSecret(line)) quietly(() => append(file, line))
    },
  }
}

/** A line comes back to the screen as it is, so nothing that a terminal obeys is kept (T18). */
function isPlain(line: string): boolean {
  return line.trim() !== '' && escapeLine(line) === line
}

function historyFile(): string {
  return join(stateDirectory(nodePlatform()), 'history')
}

/** One write for one line, so that two shells do not mix theirs up. */
function append(file: string, line: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  appendFileSync(file, `${line}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
}

function replace(file: string, lines: readonly string[]): void {
  const fresh = `${file}.${process.pid}`
  try {
    writeFileSync(fresh, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

/** What would be hidden if it were shown. */
export function hasSecret(line: string): boolean {
  if (redactWords(line) !== line || redactText(line) !== line) return true
  const words = splitLine(line)
  return (
    redactArguments(words).some((word, at) => word !== words[at]) ||
    words.some(isSecretPair) ||
    hasSecretFlag(words)
  )
}

/** `key=value`, `key: value` or JSON whose key is a secret's name. */
function isSecretPair(word: string): boolean {
  const pairs = word.matchAll(/["']?([\w.-]+)["']?\s*[=:]\s*["']?([^"',}\]]+)/g)
  return [...pairs].some(([, key = '', value = '']) => redactText(value, key) !== value)
}

/** A token, or the answer to what an entry asks for, may be a secret whatever it looks like; a variable is none. */
function hasSecretFlag(words: readonly string[]): boolean {
  return words.some((word, at) => {
    const flag = ['--token', '--input'].find((each) => word === each || word.startsWith(`${each}=`))
    if (flag === undefined) return false
    const value = word === flag ? words[at + 1] : word.slice(flag.length + 1)
    return value !== undefined && !value.startsWith('${')
  })
}

/** A history that cannot be read or written is missed by nobody. */
function quietly<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
