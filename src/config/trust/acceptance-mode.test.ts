import { expect, test } from 'vitest'
import type { PresetName } from '../../model/preset.ts'
import type { AcceptWord } from '../../model/definition/accept-word.ts'
import { acceptanceOf } from './acceptance-mode.ts'

function modeOf(preset: PresetName, user?: AcceptWord, ...projects: readonly AcceptWord[]) {
  const settings = [
    { kind: 'user' as const, value: user === undefined ? {} : { accept: user } },
    ...projects.map((accept) => ({ kind: 'project' as const, value: { accept } })),
  ]
  const { mode, by } = acceptanceOf(settings, preset)
  return `${mode} ${by}`
}

test('a word that is none counts as strict', () => {
  const settings = [{ kind: 'user' as const, value: { accept: 'on' } }]
  expect(acceptanceOf(settings, 'dispatch')).toEqual({ mode: 'strict', by: 'user' })
})

test('T140 the word of the person beats the preset; a project is stricter or has no effect', () => {
  expect([
    modeOf('default'),
    modeOf('dispatch'),
    modeOf('dispatch', 'tofu'),
    modeOf('omp', 'strict'),
    modeOf('boocode', undefined, 'strict'),
    modeOf('dispatch', undefined, 'off', 'tofu'),
    modeOf('dispatch', 'strict', 'off'),
    modeOf('default', 'off'),
    modeOf('default', 'off', 'tofu'),
    modeOf('default', undefined, 'off'),
  ]).toEqual([
    'tofu preset',
    'off preset',
    'tofu user',
    'strict user',
    'strict project',
    'tofu project',
    'strict user',
    'off user',
    'tofu project',
    'tofu preset',
  ])
})
