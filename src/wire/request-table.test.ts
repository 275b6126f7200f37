import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RequestTable } from './request-table.ts'

const one = { id: 1 }

test('request table: a request is found by its id only', () => {
  const table = new RequestTable()
  table.add(one)
  expect([1, 65, 1.5, NaN, '1', null, undefined, {}].map((id) => table.get(id))).toEqual([
    one,
    ...Array.from({ length: 7 }, () => undefined),
  ])
})

test('request table: freeId skips the id of an open request and ids that share its slot', () => {
  const table = new RequestTable()
  table.add(one)
  expect([table.freeId(1), table.freeId(2), table.freeId(65)]).toEqual([2, 2, 66])
})

test('request table: deleting a request that is not in the table removes no other', () => {
  const table = new RequestTable()
  table.add(one)
  table.delete({ id: 1 })
  table.delete({ id: 65 })
  expect(table.values()).toEqual([one])
})

test('request table: holds the same requests as a Map under any load (property)', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(400), { maxLength: 800 }), (steps) => {
      const table = new RequestTable<{ readonly id: number }>()
      const map = new Map<number, { readonly id: number }>()
      let next = 1
      for (const step of steps) {
        const leaving = [...map.values()][step]
        if (leaving) {
          map.delete(leaving.id)
          table.delete(leaving)
        } else {
          const request = { id: table.freeId(next) }
          next = request.id + 1
          map.set(request.id, request)
          table.add(request)
        }
      }
      expect(table.values().toSorted((a, b) => a.id - b.id)).toEqual([...map.values()])
      for (let id = 0; id < next; id++) expect(table.get(id)).toBe(map.get(id))
    }),
  )
})
