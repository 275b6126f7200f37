import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Dialog } from '../parts/dialog.tsx'
import { useAnswer } from '../state/answers.ts'
import { overlay } from '../state/overlay.ts'
import { clients, servers } from '../state/page-state.ts'
import type { PaletteEntry } from './find-entries.ts'
import { findEntries } from './find-entries.ts'
import { paletteEntries } from './palette-entries.ts'
import '../style/palette.css'

/** Find or run: places, servers, tools, conversations and commands by words. */
export function Palette() {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const tools = useAnswer('GET /api/tools', {}).value?.tools ?? []
  const conversations = useAnswer('GET /api/conversations', {}).value?.conversations ?? []
  const all = servers.value
  const connected = clients.value
  const entries = useMemo(
    () => paletteEntries({ servers: all, tools, conversations, clients: connected }),
    [all, tools, conversations, connected],
  )
  const groups = useMemo(() => grouped(findEntries(entries, text)), [entries, text])
  const found = groups.flatMap(({ rows }) => rows)
  const chosen = Math.min(at, found.length - 1)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen, groups])

  const close = (): void => void (overlay.value = undefined)
  const choose = (entry: PaletteEntry | undefined): void => {
    if (!entry) return
    close()
    entry.run()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') choose(found[chosen]?.entry)
    else if (step && found.length > 0) setAt((chosen + step + found.length) % found.length)
    else return
    event.preventDefault()
  }

  return (
    <Dialog label="Find or run" class="palette" onClose={close}>
      <input
        class="palette-field"
        role="combobox"
        aria-label="Find or run"
        aria-expanded="true"
        aria-controls="palette-found"
        aria-activedescendant={chosen >= 0 ? `palette-${chosen}` : undefined}
        placeholder="Find a server, tool, conversation or command"
        autoComplete="off"
        spellcheck={false}
        autoFocus
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-found" class="palette-found" role="listbox" aria-label="Found" ref={list}>
        {groups.map(({ group, rows }) => (
          <div key={group} role="group" aria-label={group}>
            <div class="palette-group" role="presentation">
              {group}
            </div>
            {rows.map(({ entry, index }) => (
              <div
                key={index}
                id={`palette-${index}`}
                class="palette-row"
                role="option"
                aria-selected={index === chosen}
                onPointerMove={() => setAt(index)}
                onClick={() => choose(entry)}
              >
                <span class={`palette-name cut${entry.isMono ? ' mono' : ''}`}>{entry.name}</span>
                <span class="palette-about cut">{entry.about}</span>
              </div>
            ))}
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="dialog-body dim">Nothing matches “{text}”.</p>}
      <div class="palette-foot">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
      </div>
    </Dialog>
  )
}

/** Groups in the order of their best entry. The numbers of rows follow what is drawn, for the arrow keys. */
function grouped(found: readonly PaletteEntry[]) {
  const groups = [...new Set(found.map(({ group }) => group))]
  let index = 0
  return groups.map((group) => ({
    group,
    rows: found.filter((each) => each.group === group).map((entry) => ({ entry, index: index++ })),
  }))
}
