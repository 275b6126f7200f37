import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { Output } from '../../../terminal/terminal-output.ts'
import { noteInputs } from './add-notes.ts'

function startLine(args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const notes: string[] = []
  const launch = { command: 'printf', args: [String.raw`%s\n`, ...args], env }
  const transport = { kind: 'http', url: 'http://localhost:1/mcp' } as const
  const output = { note: (text: string) => void notes.push(text) } as unknown as Output // only notes are printed
  noteInputs({ name: 's', transport, launch }, {}, output)
  return notes.join('\n').split('\n').slice(1).join('\n')
}

test.skipIf(process.platform === 'win32')(
  'T61 the line that starts a package runs nothing but the package in a shell',
  () => {
    const hostile = [
      '${x:=$(echo ran)}',
      '${x@P}',
      '$(echo ran)',
      '`echo ran`',
      '${A:-$(echo ran)}',
      "a'b",
      'a"b\\',
    ]
    const line = startLine([...hostile, '${NAME}', 'x-${NAME:-d}-$y'], { 'A;echo ran;B': 'x', OK: 'a b' })
    const shown = execFileSync('sh', ['-c', line], { encoding: 'utf8', env: { NAME: 'value' } })
    expect(shown).toBe([...hostile, 'value', 'x-value-$y', ''].join('\n'))
  },
)
