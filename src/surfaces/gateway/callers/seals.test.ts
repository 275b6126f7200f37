import { describe, expect, test } from 'vitest'
import { Seals } from './seals.ts'

const seals = new Seals('a secret of two gateways')
const same = new Seals('a secret of two gateways')
const other = new Seals(undefined)

describe('mark', () => {
  test('counts in each process with the same secret, for exactly its parts', () => {
    const mark = seals.mark('task', '7')
    expect(mark).toMatch(/^[\w-]{22}$/)
    expect(same.isMarked(mark, 'task', '7')).toBe(true)
    expect(same.isMarked(mark, 'task', '8')).toBe(false)
    expect(same.isMarked(mark, 'task7')).toBe(false)
  })

  test('of another secret, cut or longer is none', () => {
    const mark = seals.mark('task', '7')
    expect(other.isMarked(mark, 'task', '7')).toBe(false)
    expect(new Seals(undefined).isMarked(other.mark('task'), 'task')).toBe(false)
    for (const wrong of [mark.slice(1), `${mark}A`, ''])
      expect(seals.isMarked(wrong, 'task', '7')).toBe(false)
  })

  test('is the same in each version: gateways of two versions serve the same clients', () => {
    expect(new Seals('known').mark('task', '7')).toBe('b-Ry3O_CunZAOCGLKP3m5A')
  })
})

describe('seal', () => {
  const value = { server: 'notes', until: 1 }

  test('is opened by each process with the same secret, for what it was bound to', () => {
    const sealed = seals.seal(value, 'login')
    expect(sealed).not.toContain('notes')
    expect(same.open(sealed, 'login')).toEqual(value)
    expect(same.open(sealed, 'response')).toBeUndefined()
    expect(other.open(sealed, 'login')).toBeUndefined()
  })

  test('that was changed, cut or written in another way opens to nothing', () => {
    const sealed = seals.seal(value, 'login')
    const changed = (sealed[0] === 'A' ? 'B' : 'A') + sealed.slice(1)
    const wrong = [changed, sealed.slice(0, -2), `${sealed}=`, `${sealed} `, '', 'AAAA']
    expect(wrong.map((each) => seals.open(each, 'login'))).toEqual(wrong.map(() => undefined))
  })

  test('has 28 bytes beside the text, and shorter ones are none', () => {
    const bytes = Buffer.from(seals.seal('', 'login'), 'base64url')
    expect(bytes).toHaveLength(12 + 16 + '""'.length)
    expect(seals.open(bytes.subarray(0, 27).toString('base64url'), 'login')).toBeUndefined()
    expect(seals.open(bytes.subarray(0, 28).toString('base64url'), 'login')).toBeUndefined()
  })
})
