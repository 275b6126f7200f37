import { ChevronDown, ChevronRight } from 'lucide-preact'
import { useMemo, useState } from 'preact/hooks'
import type { Json } from '../../../src/model/json.ts'
import { fromPointer, valueAt } from '../../../src/model/json.ts'
import { copy } from '../state/announce.ts'
import { Button } from './button.tsx'
import { findInJson, firstOpen, jsonRows, levelLimit, levelsAbove, shownPath } from './json-rows.ts'
import type { JsonRow } from './json-rows.ts'
import { VirtualList } from './virtual-list.tsx'
import type { RowFocus } from './virtual-list.tsx'
import '../style/result.css'

/** Rows are higher where fingers touch them. */
const rowHeight = matchMedia('(pointer: coarse)').matches ? 36 : 20

/** A JSON value as a tree: levels open on demand, with search, and copies of the value and path of the chosen row. */
export function JsonTree({ value, label }: { readonly value: Json; readonly label: string }) {
  const [open, setOpen] = useState(() => firstOpen(value))
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map())
  const [active, setActive] = useState(0)
  const [words, setWords] = useState('')
  const rows = useMemo(() => jsonRows(value, { open, shown }), [value, open, shown])
  const found = useMemo(() => findInJson(value, words), [value, words])
  const current = rows[Math.min(active, rows.length - 1)]
  const parts = fromPointer((current?.pointer ?? '').replace(/#.*$/, ''))

  const toggle = (row: JsonRow, isOpen = !row.isOpen) => {
    if (row.kind === 'more') {
      const level = row.pointer.replace(/#more$/, '')
      setShown(new Map(shown).set(level, (shown.get(level) ?? levelLimit) + levelLimit))
      return
    }
    if (row.isOpen === undefined) return
    const next = new Set(open)
    if (isOpen) next.add(row.pointer)
    else next.delete(row.pointer)
    setOpen(next)
  }
  const show = (pointer: string) => {
    const next = new Set([...open, ...levelsAbove(pointer)])
    setOpen(next)
    setActive(
      Math.max(
        jsonRows(value, { open: next, shown }).findIndex((row) => row.pointer === pointer),
        0,
      ),
    )
  }
  const showNext = () => {
    const next = found[(found.indexOf(current?.pointer ?? '') + 1) % Math.max(found.length, 1)]
    if (next !== undefined) show(next)
  }
  const onRowKey = (event: KeyboardEvent, index: number): number | undefined => {
    const row = rows[index]
    if (!row) return undefined
    if (event.key === 'Enter' || event.key === ' ') {
      toggle(row)
      return index
    }
    if (event.key === 'ArrowRight') {
      if (row.isOpen) return index + 1
      toggle(row, true)
      return index
    }
    if (event.key !== 'ArrowLeft') return undefined
    if (row.isOpen) {
      toggle(row, false)
      return index
    }
    const above = rows.findLastIndex((each, at) => at < index && each.depth < row.depth)
    return Math.max(above, 0)
  }

  return (
    <div class="json-tree">
      <div class="json-bar">
        <input
          type="search"
          value={words}
          placeholder="Search"
          aria-label={`Search in ${label}`}
          onInput={(event) => setWords(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) showNext()
          }}
        />
        {words !== '' && (
          <button type="button" class="button is-plain" disabled={found.length === 0} onClick={showNext}>
            {found.length === 0 ? 'nothing found' : `${found.length} found, next`}
          </button>
        )}
        <span class="json-path cut mono">{shownPath(parts, value) || 'all'}</span>
        <Button kind="plain" about="Copy the value" onPress={() => void copy(copied(valueAt(value, parts)))}>
          Copy value
        </Button>
        <Button kind="plain" about="Copy the path" onPress={() => void copy(shownPath(parts, value))}>
          path
        </Button>
      </div>
      <VirtualList
        class="json-rows"
        role="tree"
        label={label}
        count={rows.length}
        rowHeight={rowHeight}
        active={active}
        onActive={setActive}
        onRowKey={onRowKey}
        rowKey={(index) => rows[index]?.pointer ?? ''}
        row={(index, focus) => {
          const row = rows[index]
          return row ? (
            <TreeRow
              row={row}
              focus={focus}
              onChoose={() => {
                setActive(index)
                toggle(row)
              }}
            />
          ) : null
        }}
      />
    </div>
  )
}

function TreeRow({
  row,
  focus,
  onChoose,
}: {
  readonly row: JsonRow
  readonly focus: RowFocus
  readonly onChoose: () => void
}) {
  return (
    <div
      {...focus}
      class="json-row"
      role="treeitem"
      aria-level={row.depth + 1}
      aria-expanded={row.isOpen}
      aria-selected={focus.tabIndex === 0}
      style={{ paddingInlineStart: `${row.depth * 16 + 4}px` }}
      onClick={onChoose}
    >
      <span class="json-mark" aria-hidden="true">
        {row.isOpen === undefined ? null : row.isOpen ? (
          <ChevronDown size={12} />
        ) : (
          <ChevronRight size={12} />
        )}
      </span>
      {row.name !== '' && <span class="json-name">{row.name}:</span>}
      <span class={`json-value is-${row.kind}`}>{row.shown}</span>
    </div>
  )
}

/** A text is copied as it is, anything else as JSON. */
function copied(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
