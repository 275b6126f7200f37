import { describe, expect, test } from 'vitest'
import { stdioOf } from '../../../test/support/server.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { changedNames, isSealed, readVariables, sealOf, splitLoaders } from './env-file.ts'

describe('T53 the content of an envFile', () => {
  test('the seal has a hash of each value and no value', () => {
    const seal = sealOf({ TOKEN: 'tok-12345678', MODE: 'dev' })
    expect(seal).toEqual({
      hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      variables: {
        TOKEN: expect.stringMatching(/^••• \(sha256:[0-9a-f]{12}\)$/),
        MODE: expect.stringMatching(/^••• \(sha256:[0-9a-f]{12}\)$/),
      },
    })
    expect(JSON.stringify(seal)).not.toMatch(/tok-1234|dev/)
  })

  test('any other name or value breaks the seal; comments and order do not', async () => {
    const read = async (text: string) =>
      (await readVariables('/e', memoryFiles({ '/e': text }))) ?? { absent: '' }
    const seal = sealOf(await read('A=1\nB=2\n'))
    expect(isSealed(await read('# note\nexport B=2\nA="1"\n'), seal)).toBe(true)
    for (const text of ['A=1', 'A=1\nB=3', 'A=1\nB=2\nC=', 'a=1\nB=2', ''])
      expect(isSealed(await read(text), seal)).toBe(false)
    expect(changedNames(await read('A=9\nC=1\n'), seal)).toEqual(['A', 'B', 'C'])
  })

  test('a record without a seal covers only a file that sets nothing', () => {
    expect([isSealed({}, undefined), isSealed({ A: '1' }, undefined)]).toEqual([true, false])
    expect(changedNames({ A: '1', __proto__x: '2' }, undefined)).toEqual(['A', '__proto__x'])
  })

  test('variables that decide what programs load are split off, unless the entry lists them', () => {
    const found = { A: '1', NODE_OPTIONS: '-r ./x', PATH: '/x', Ld_Preload: 'x.so' }
    expect(splitLoaders(found, stdioOf('x'))).toEqual({
      variables: { A: '1' },
      ignored: ['NODE_OPTIONS', 'PATH', 'Ld_Preload'],
    })
    const listed = stdioOf('x', { env: { NODE_OPTIONS: '' }, passEnv: ['PATH'] })
    expect(splitLoaders(found, listed)).toEqual({
      variables: { A: '1', NODE_OPTIONS: '-r ./x', PATH: '/x' },
      ignored: ['Ld_Preload'],
    })
  })
})
