import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Prompt } from '../../../../agent.ts'
import { isInteractive } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { usage } from '../../errors.ts'

/** A prompt from the command line. */
export interface ReadPrompt {
  readonly prompt: Prompt
  /** Words after `@` that name no file. */
  readonly unknown: readonly string[]
}

const maxBytes = 1024 * 1024

/**
 * Reads the prompt: the words; `-` for stdin, which is also read if there are no words; `@file` alone for the text of a
 * file. Inside a prompt, `@file` attaches the file.
 */
export async function readPrompt(cli: Cli, words: readonly string[], cwd: string): Promise<ReadPrompt> {
  const [only = ''] = words
  if (words.length === 1 && /^@\S+$/.test(only))
    return plain(await readTextFile(resolve(cwd, only.slice(1)), only))
  const isFromStdin = words.length === 0 || words.includes('-')
  const input = isFromStdin ? await readInput(cli) : ''
  const typed = words.filter((word) => word !== '-').join(' ')
  return typed === '' ? plain(input) : attach(typed, input, cwd)
}

function plain(text: string): ReadPrompt {
  if (text.trim() !== '') return { prompt: text, unknown: [] }
  throw usage(
    'There is no prompt.',
    'Write one: plugboard run "Which issues are open?", or pass it on stdin, or as @file.',
  )
}

/** Only what was typed names files: a text on stdin may have been written by others. */
async function attach(typed: string, input: string, cwd: string): Promise<ReadPrompt> {
  const { attachFiles } = await import('../../../chat/attach-files.ts')
  const { prompt, problems, unknown } = attachFiles(typed, cwd, { isAnywhere: true })
  const [problem] = problems
  if (problem !== undefined) throw usage(problem)
  if (input.trim() === '')
    return { prompt: typeof prompt === 'string' ? plain(prompt).prompt : prompt, unknown }
  const [, ...files] = typeof prompt === 'string' ? [] : prompt
  return { prompt: [{ type: 'text', text: `${typed}\n\n${input.trimEnd()}` }, ...files], unknown }
}

async function readInput(cli: Cli): Promise<string> {
  const { stdin } = cli.process
  if (isInteractive(cli)) cli.process.stderr.write('Enter the prompt, then press Ctrl-D:\n')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stdin) {
    const piece = Buffer.from(chunk as Uint8Array) // a stream without an encoding
    bytes += piece.length
    if (bytes > maxBytes) throw tooLarge('The prompt')
    chunks.push(piece)
  }
  return toText(Buffer.concat(chunks), 'The input')
}

/** @param word The file as it was typed. */
export async function readTextFile(file: string, word: string): Promise<string> {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) throw usage(`${word} is not a file.`)
  if (found.size > maxBytes) throw tooLarge(word)
  return toText(readFileSync(file), word)
}

function tooLarge(what: string): Error {
  return usage(`${what} is larger than ${maxBytes / 1024} KiB.`)
}

async function toText(bytes: Buffer, what: string): Promise<string> {
  const { decode } = await import('../../../chat/attach-files.ts')
  const text = decode(bytes)
  if (text === undefined) throw usage(`${what} is not text.`)
  return text
}
