import { describe, expect, test } from 'vitest'
import type { Json } from '../../index.ts'
import { hashOf } from '../../internal.ts'
import type { Question } from '../../store.ts'
import { approvalDetails } from './approval-details.ts'
import { describeQuestion } from './question-facts.ts'

const shorten = (file: string) => file.replace('/home/dana', '~')
const questionOf = (kind: Question['kind'], asked: Json, more: Partial<Question> = {}): Question => ({
  id: '12345678-0000',
  kind,
  server: 'gh',
  asked,
  state: 'pending',
  canWait: true,
  isWaiting: true,
  askedAt: '2026-11-16T12:00:00.000Z',
  ...more,
})
const approval = {
  ref: 'gh/create_issue',
  name: 'gh__create_issue',
  args: { title: 'a\u200Bb', labels: ['\u202Ex'] },
  reason: 'It may write.',
  annotations: { destructiveHint: true, openWorldHint: true },
  rule: { effect: 'ask', tools: ['gh__create_*'], file: '/home/dana/rules.json', line: 9 },
}

describe('question facts', () => {
  test('T10 an approval is complete: arguments with hidden characters visible, marks, the rule with its place', () => {
    expect(describeQuestion(questionOf('approval', approval), { shorten, isHere: true })).toMatchObject({
      title: 'gh wants to run create_issue',
      command: 'plugboard answer 12345678',
      asked: {
        args: { title: 'a\\u{200b}b', labels: ['\\u{202e}x'] },
        marks: ['writes', 'deletes', 'reaches outside'],
        rule: {
          text: 'gh__create_* → ask',
          place: { file: '/home/dana/rules.json', shown: '~/rules.json:9', line: 9 },
        },
        isWhole: true,
        canEdit: false,
      },
    })
    const plain = { ...approval, args: { title: 'ab' } }
    const canEdit = (question: Question, isHere: boolean) => {
      const { asked } = describeQuestion(question, { shorten, isHere })
      return asked.kind === 'approval' && asked.canEdit
    }
    expect(canEdit(questionOf('approval', plain), true)).toBe(true)
    expect(canEdit(questionOf('approval', plain), false)).toBe(false)
    expect(canEdit(questionOf('approval', { ...plain, masked: true }), true)).toBe(false)
  })

  test('a row of an earlier version has neither marks nor a rule', () => {
    const { annotations: _annotations, rule: _rule, ...earlier } = approval
    const { asked } = describeQuestion(questionOf('approval', earlier), { shorten })
    expect(asked).toMatchObject({ kind: 'approval', marks: [] })
    expect(asked).not.toHaveProperty('rule')
  })

  test('T20 an address whose secret was masked is not shown elsewhere, and a form that cannot be shown says why', () => {
    const url = 'https://example.com/a'
    const asked = { message: 'Look', url, urlHash: hashOf(url) }
    expect(describeQuestion(questionOf('url', asked), { shorten }).asked).toMatchObject({
      url,
      host: 'example.com',
    })
    const masked = { ...asked, url: 'https://example.com/***' }
    expect(describeQuestion(questionOf('url', masked), { shorten }).asked).toMatchObject({
      url: '',
      warnings: ['Its address holds a secret, so it is shown only in the terminal that asked.'],
    })
    const deep = { message: 'Fill in', schema: { type: 'object', properties: { a: { type: 'object' } } } }
    expect(describeQuestion(questionOf('elicitation', deep), { shorten }).asked).toMatchObject({
      unsupported: expect.stringContaining('its field "a"') as string,
    })
  })

  test.each([
    ['approval', 'conversation', 'allowed in the conversation'],
    ['approval', 'no', 'refused'],
    ['elicitation', { action: 'decline' }, 'declined'],
    ['login', true, 'logged in'],
    ['login', false, 'refused'],
  ] as const)('what was decided on %s %j is said in words', (kind, answer, decision) => {
    const question = questionOf(
      kind,
      {},
      { state: 'answered', answer, settledAt: '2026-11-16T12:01:00.000Z' },
    )
    expect(describeQuestion(question, { shorten })).toMatchObject({ decision, state: 'answered' })
  })

  test('a terminal shows the rule with its place, and what the tool declares beyond writing', () => {
    const { annotations } = approval
    const origin = { file: '/home/dana/rules.json', line: 9 }
    expect(
      approvalDetails({ tool: { annotations }, rule: { effect: 'ask', tools: ['gh__create_*'], origin } }),
    ).toEqual([
      'It declares: writes, deletes, reaches outside.',
      'The rule: gh__create_* → ask · /home/dana/rules.json:9',
    ])
    expect(approvalDetails({ tool: { annotations: {} } })).toEqual([])
  })
})
