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
import { believePlatform, redactArguments, redactText, redactWords, stateDirectory } from '../../internal.ts'
import type { Platform } from '../../index.ts'
import { escapeLine } from '../terminal/escape.ts'
import { splitLine } from './words.ts'

export interface History {
  /** Newest first. */
  lines(): readonly string[]
  add(line: string): void
}

const maxLines = 1000

/**
 * Lines typed before, stored in a private file. A line with a secret, also one that only `redact` knows, is kept in memory only,
 * for this shell.
 */
export function openHistory(file: string, redact: (line: string) => string = (line) => line): History {
  const kept = ignoreErrors(() => readFileSync(file, 'utf8').split('\n').filter(isPlain)) ?? []
  if (kept.length > 2 * maxLines) ignoreErrors(() => replace(file, kept.slice(-maxLines)))
  let lines = [...new Set(kept.reverse())].slice(0, maxLines)
  return {
    lines: () => lines,
    add(line) {
      if (!isPlain(line)) return
      lines = [line, ...lines.filter((each) => each !== line)].slice(0, maxLines)
      if (redact(line) === line && !hasSecret(line)) ignoreErrors(() => append(file, line))
    },
  }
}

/** Lines are printed again as they are, so a line with control characters is not kept (T18). */
function isPlain(line: string): boolean {
  return line.trim() !== '' && escapeLine(line) === line
}

/** @param given Its `cwd` is the folder of the shell, which decides what variables are believed (T54). */
export async function historyFile(given: Partial<Platform>, name = 'history'): Promise<string> {
  const { platform } = await believePlatform(given)
  return join(stateDirectory(platform), name)
}

/** Writes each line with a single append, so that the lines of two shells do not mix. */
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

/** Whether any part of the line would be masked in output. */
export function hasSecret(line: string): boolean {
  if (redactWords(line) !== line || redactText(line) !== line) return true
  const words = splitLine(line)
  return (
    redactArguments(words).some((word, at) => word !== words[at]) ||
    words.some(isSecretPair) ||
    hasSecretFlag(words)
  )
}

/** `key=value`, `key: value` or JSON, where the key is the name of a secret. */
function isSecretPair(word: string): boolean {
  const pairs = word.matchAll(/["']?([\w.-]+)["']?\s*[=:]\s*["']?([^"',}\]]+)/g)
  return [...pairs].some(([, key = '', value = '']) => redactText(value, key) !== value)
}

/** The values of --token and --input count as secrets whatever they look like; a placeholder does not. */
function hasSecretFlag(words: readonly string[]): boolean {
  return words.some((word, at) => {
    const flag = ['--token', '--input'].find((each) => word === each || word.startsWith(`${each}=`))
    if (flag === undefined) return false
    const value = word === flag ? words[at + 1] : word.slice(flag.length + 1)
    return value !== undefined && !value.startsWith('${')
  })
}

/** The shell works without its history, so errors of the file are ignored. */
function ignoreErrors<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
