import { describe, expect, test } from 'vitest'
import { createStyle, escapeStyled } from './style.ts'

const ESC = '\u001B'
const terminal = createStyle({ env: {}, isTTY: true })
const shown = escapeStyled

describe('colors', () => {
  test.each([
    ['are on in a terminal', {}, true, true],
    ['are off without one', {}, false, false],
    ['are off with NO_COLOR', { NO_COLOR: '1' }, true, false],
    ['are on with an empty NO_COLOR', { NO_COLOR: '' }, true, true],
    ['are off in a dumb terminal', { TERM: 'dumb' }, true, false],
    ['are on in any other terminal', { TERM: 'xterm-256color' }, true, true],
    ['are on with FORCE_COLOR, without a terminal', { FORCE_COLOR: '1' }, false, true],
    ['are on with FORCE_COLOR, in a dumb terminal', { FORCE_COLOR: '3', TERM: 'dumb' }, true, true],
    ['are on with FORCE_COLOR against NO_COLOR', { FORCE_COLOR: 'true', NO_COLOR: '1' }, true, true],
    ['are off with FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, false],
    ['are off with FORCE_COLOR=false', { FORCE_COLOR: 'false' }, true, false],
    ['ignore an empty FORCE_COLOR', { FORCE_COLOR: '' }, false, false],
  ])('%s', (_, env, isTTY, enabled) => {
    const style = createStyle({ env, isTTY })
    expect([style.enabled, shown(style.red('x'))]).toEqual([enabled, enabled ? `${ESC}[31mx${ESC}[39m` : 'x'])
  })
})

test('createStyle: each style has its code', () => {
  const { bold, dim, red, green, yellow, cyan } = terminal
  expect([bold, dim, red, green, yellow, cyan].map((paint) => shown(paint('x')))).toEqual([
    `${ESC}[1mx${ESC}[22m`,
    `${ESC}[2mx${ESC}[22m`,
    `${ESC}[31mx${ESC}[39m`,
    `${ESC}[32mx${ESC}[39m`,
    `${ESC}[33mx${ESC}[39m`,
    `${ESC}[36mx${ESC}[39m`,
  ])
})

test('createStyle: an outer style continues after an inner one ends', () => {
  expect(shown(terminal.red(`a${terminal.green('b')}c`))).toBe(
    `${ESC}[31ma${ESC}[32mb${ESC}[39m${ESC}[31mc${ESC}[39m`,
  )
})

test('createStyle: an empty text gets no sequences', () => {
  expect(terminal.bold('')).toBe('')
})

test('T18 escapeStyled: keeps only the sequences of our own styles', () => {
  const { bold, red } = terminal
  const text = `${bold('ok')} ${red(`${ESC}[8mhidden`)} ${ESC}]52;c;eA==\u0007 ${ESC}[1;8m ${ESC}[2J \u009B31m`
  expect(escapeStyled(text)).toBe(
    `${ESC}[1mok${ESC}[22m ${ESC}[31m\\x1b[8mhidden${ESC}[39m \\x1b]52;c;eA==\\x07 \\x1b[1;8m \\x1b[2J \\x9b31m`,
  )
})

test('T18 escapeStyled: escapes a color sequence in the text itself', () => {
  expect(escapeStyled(`${ESC}[31mred ${ESC}[2mdim ${ESC}[22m`)).toBe('\\x1b[31mred \\x1b[2mdim \\x1b[22m')
})
