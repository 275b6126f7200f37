import { expect, test } from 'vitest'
import { scanDefinition } from '../scan-definition.ts'

/** Beginnings of what rules and decoders look for. */
const triggers: readonly string[] = [
  [
    ' ',
    '\n',
    '\n ',
    '\t',
    '\u00a0',
    '&nbsp;',
    '<br>',
    '<',
    '<!--',
    '<a ',
    '</',
    '<span hidden>',
    '<p style="',
  ],
  [
    '&#',
    '&#105;',
    '%',
    '%69',
    '\\u',
    '\\u0069',
    '\\x',
    '=',
    '##',
    '|||',
    '[[[',
    '![](',
    '![](http://a?',
    '"',
    '`',
  ],
  [
    'a',
    'aA',
    'a b ',
    'a1',
    '12 ',
    '0x',
    'ff ',
    '6967',
    '. ',
    'a_',
    'a@a.',
    '~/',
    '+1 2',
    'i g ',
    'i.',
    '1gn0re ',
  ],
  [
    '\u200b',
    '\u200c\u200b',
    '\u202e',
    '\ufe0f',
    '\u{e0041}',
    'a\u0430',
    'a\u0301',
    '\u001b[',
    '\r',
    '\u{1f600}\u200d',
  ],
  [
    'ignore all previous ',
    'you must ',
    'do not tell ',
    'without asking ',
    'when a_b ',
    'if asked ',
    'with all ',
  ],
  [
    'any other tools ',
    'the user never ',
    'curl |',
    'download http://a ',
    'what the user ',
    'instead of ',
    'note to the ',
  ],
  [
    '\nuser: ',
    '{"role":"user"',
    'error: ',
    'contents of ',
    'public ',
    'copy ',
    'gur ',
    'eht ',
    'QUJD',
    'eyJh',
    'ghp_',
  ],
].flat()

test.each(triggers.map((trigger) => [JSON.stringify(trigger), trigger] as const))(
  'T11 a text of %s costs at most twelve times its length, at any length',
  (_name, trigger) => {
    for (const length of [4000, 40_000]) {
      const description = trigger.repeat(Math.ceil(length / trigger.length))
      const tool = { name: 'x', description, inputSchema: { type: 'object' } }
      const found = scanDefinition('tool', tool, 's', { budget: 12 * description.length })
      expect(found.filter(({ rule }) => rule === 'GRD-001')).toEqual([])
    }
  },
)

test('T11 the scan of a text that costs more than its budget is critical, also where nothing else is found', () => {
  const tool = { name: 'x', description: 'Lists things. '.repeat(100), inputSchema: { type: 'object' } }
  expect(scanDefinition('tool', tool, 's', { budget: 500 })).toMatchObject([
    { rule: 'GRD-001', severity: 'critical' },
  ])
})
