import { readFileSync, statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { PromptPart } from '../../../../agent.ts'
import { isInteractive } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { usage } from '../../errors.ts'

/** A prompt from the command line. */
export interface ReadPrompt {
  readonly parts: readonly PromptPart[]
  /** Words that look like files but are none. */
  readonly notFiles: readonly string[]
}

const maxTextBytes = 1024 * 1024
const maxImageBytes = 8 * 1024 * 1024

/** Images that every provider accepts. */
const imageTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

/**
 * Reads the prompt: the words; `-` for stdin, which is also read if there are no words; `@file` alone for the text of a
 * file. Inside a prompt, `@file` attaches the file.
 */
export async function readPrompt(cli: Cli, words: readonly string[], cwd = '.'): Promise<ReadPrompt> {
  const [only = ''] = words
  if (words.length === 1 && /^@\S/.test(only)) return plain(readText(resolve(cwd, only.slice(1)), only))
  const isFromStdin = words.length === 0 || words.includes('-')
  const input = isFromStdin ? await readInput(cli) : ''
  if (words.length <= 1 && isFromStdin) return plain(input)
  const typed = words.filter((word) => word !== '-').join(' ')
  return withFiles(isFromStdin ? `${typed}\n\n${input.trimEnd()}` : typed, typed, cwd)
}

function plain(text: string): ReadPrompt {
  if (text.trim() === '') throw noPrompt()
  return { parts: [{ type: 'text', text }], notFiles: [] }
}

function noPrompt(): Error {
  return usage(
    'There is no prompt.',
    'Write one: plugboard run "Which issues are open?", or pass it on stdin, or as @file.',
  )
}

async function readInput(cli: Cli): Promise<string> {
  const { stdin } = cli.process
  if (isInteractive(cli)) cli.process.stderr.write('Enter the prompt, then press Ctrl-D:\n')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    const piece = Buffer.from(chunk as Uint8Array) // a stream without an encoding
    bytes += piece.length
    if (bytes > maxTextBytes) throw usage(`The prompt is larger than ${maxTextBytes / 1024} KiB.`)
    chunks.push(piece)
  }
  return toText(Buffer.concat(chunks), 'The input')
}

/** Only what was typed names files: a text on stdin may have been written by others. */
function withFiles(prompt: string, typed: string, cwd: string): ReadPrompt {
  if (prompt.trim() === '') throw noPrompt()
  const files = new Set<string>()
  const notFiles: string[] = []
  const named = [...typed.matchAll(/(?<=^|\s)@(\S+)/g)].map(([, word = '']) => word)
  for (const word of new Set(named.filter((each) => !each.startsWith('result:')))) {
    const found = [word, word.replace(/[.,;:!?)]+$/, '')].find((each) => isFile(resolve(cwd, each)))
    if (found === undefined) notFiles.push(word)
    else files.add(found)
  }
  const attached = [...files].map((name) => toPart(resolve(cwd, name), name))
  return { parts: [{ type: 'text', text: prompt }, ...attached], notFiles }
}

function toPart(file: string, name: string): PromptPart {
  const mediaType = imageTypes[extname(file).toLowerCase()]
  if (mediaType === undefined)
    return { type: 'text', text: `The file ${name}:\n\n${readText(file, `@${name}`)}` }
  return { type: 'image', mediaType, data: readBytes(file, `@${name}`, maxImageBytes).toString('base64') }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function readText(file: string, word: string): string {
  return toText(readBytes(file, word, maxTextBytes), word)
}

function readBytes(file: string, word: string, limit: number): Buffer {
  if (!isFile(file)) throw usage(`${word} is not a file.`)
  if (statSync(file).size > limit) throw usage(`${word} is larger than ${limit / 1024} KiB.`)
  return readFileSync(file)
}

function toText(bytes: Buffer, what: string): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Not UTF-8.
  }
  throw usage(`${what} is not text.`, 'A prompt takes text, and images as png, jpg, gif or webp.')
}
