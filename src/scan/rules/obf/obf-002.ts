import type { RawRule } from '../rule.ts'

export const opaqueRule: RawRule = {
  id: 'OBF-002',
  severity: 'low',
  over: 'raw',
  title: 'Opaque block',
  reason: 'A long run of random characters in a description may be a message that this scan cannot read.',
  remedy: 'Ask its author what it is for.',
  hits: [
    `Adds numbers. ${Array.from({ length: 240 }, (_, index) => 'aZ3kQ9mB7xR5tL1v'.charAt((index * 7 + (index >> 3)) % 16)).join('')}`,
  ],
  misses: [`Adds numbers. ${'a'.repeat(300)}`, 'Adds numbers.'],
  find: ({ visible, surface }) => {
    if (surface.place === 'data' || surface.place === 'value' || surface.place === 'meta') return []
    const run = /[A-Za-z0-9+/_=-]{200}/.exec(visible)
    if (!run || new Set(run[0]).size < 12 || !/\d/.test(run[0]) || !/[A-Z]|^[0-9a-f]+$/.test(run[0]))
      return []
    return [
      { score: 0.3, message: 'It contains a long run of random characters.', evidence: run[0].slice(0, 60) },
    ]
  },
}
