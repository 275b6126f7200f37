import { expect, test } from 'vitest'
import { ClientSubscriptions } from './client-subscriptions.ts'

function openings() {
  const open: { readonly accept: () => void; readonly refuse: () => void }[] = []
  let disposed = 0
  return {
    open,
    disposed: () => disposed,
    next: () =>
      new Promise<Disposable>((resolve, reject) =>
        open.push({
          accept: () => resolve({ [Symbol.dispose]: () => void disposed++ }),
          refuse: () => reject(new Error('refused')),
        }),
      ),
  }
}

test('a subscription that is removed while it is opened is disposed of when it opens', async () => {
  const { open, next, disposed } = openings()
  const subscriptions = new ClientSubscriptions()
  const added = subscriptions.add('a:', next)
  subscriptions.remove('a:')
  open[0]?.accept()
  await added
  await expect.poll(disposed).toBe(1)
})

test('a subscription of a client that left while it was opened is disposed of', async () => {
  const { open, next, disposed } = openings()
  const subscriptions = new ClientSubscriptions()
  const before = subscriptions.add('a:', next)
  subscriptions.close()
  const after = subscriptions.add('b:', next)
  for (const each of open) each.accept()
  await Promise.all([before, after])
  await expect.poll(disposed).toBe(2)
})

test('requests at once share one subscription; if the first is refused, the next asks for itself', async () => {
  const { open, next, disposed } = openings()
  const subscriptions = new ClientSubscriptions()
  const [first, second, third] = [1, 2, 3].map(() => subscriptions.add('a:', next))
  expect(open).toHaveLength(1)
  open[0]?.refuse()
  await expect(first).rejects.toThrow('refused')
  await expect.poll(() => open.length).toBe(2)
  open[1]?.accept()
  await Promise.all([second, third])
  expect([open.length, disposed()]).toEqual([2, 0])
  subscriptions.close()
  await expect.poll(disposed).toBe(1)
})
