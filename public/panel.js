// What every page gains with scripts; all of them work without. Listeners stand on the document, because live parts
// are exchanged under them.

/** Menus close at a click elsewhere and at Escape, which gives the focus back. */
function closeMenus(except) {
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (menu === except) continue
    if (menu.contains(document.activeElement)) menu.querySelector('summary').focus()
    menu.open = false
  }
}
document.addEventListener('keydown', (event) => event.key === 'Escape' && closeMenus())
document.addEventListener('click', ({ target }) => {
  const isDownload = target.closest?.('details.menu :is(a[download], button[formmethod=get])')
  closeMenus(isDownload ? null : target.closest?.('details.menu'))
})

/**
 * What was asked for once is done once: a form that changes something is not sent again while its answer is awaited, and
 * neither the second click of a double click nor a key that is held does anything, for another button may stand in that
 * place by then. Uploads count their files themselves.
 */
const FORM_SELECTOR = 'form[method=post]:not([enctype])'
const pendingForms = new WeakSet()
function cancelEvent(event) {
  event.preventDefault()
  event.stopImmediatePropagation()
}
document.addEventListener(
  'submit',
  (event) => {
    const { target } = event
    if (pendingForms.has(target)) cancelEvent(event)
    else if (target.matches(FORM_SELECTOR)) {
      pendingForms.add(target)
      setTimeout(() => pendingForms.delete(target), 10_000)
    }
  },
  true,
)
document.addEventListener('htmx:finally:request', ({ detail: { ctx } }) => pendingForms.delete(ctx.sourceElement))
addEventListener('pageshow', () => {
  for (const form of document.forms) pendingForms.delete(form)
})
const isInForm = ({ target }, what) => Boolean(target.closest?.(`:is(${FORM_SELECTOR}) ${what}`))
document.addEventListener(
  'click',
  (event) => event.detail > 1 && isInForm(event, 'button:not([type=button])') && cancelEvent(event),
  true,
)
document.addEventListener(
  'keydown',
  (event) => event.repeat && event.key === 'Enter' && isInForm(event, ':is(button, input)') && cancelEvent(event),
  true,
)

/** The parts of a page belong to the same action of the person as the page: the audit log shows them as one entry. */
document.addEventListener('htmx:config:request', ({ detail: { ctx } }) => {
  const { headers } = ctx.request
  if (headers['HX-Request-Type'] !== 'full')
    headers['X-Action-Id'] = document.getElementById('content').dataset.actionId
})

/** What was sent once, as what costs money, is not sent again by reloading its answer: that reads the page itself. */
const { here } = document.body.dataset
if (here) history.replaceState(history.state, '', here)

/** A live part that gets no answer stays as it is; the page says that it may be out of date, until one comes. */
function setStale(stale) {
  const notice = document.getElementById('stale')
  if (notice) notice.hidden = !stale
}
document.addEventListener('htmx:error', () => setStale(true))
document.addEventListener('htmx:response:error', () => setStale(true))

/**
 * Work that takes longer than a moment is shown by a bar on top of the page, and what it will exchange is dimmed: a
 * person's click, not a part that refreshes itself. What leads away ends with the page, or after a while: a download
 * does not say that it has begun.
 */
const BUSY_DELAY_MS = 150
const BUSY_LIMIT_MS = 20_000
let busyTimer
function setBusy(busy) {
  clearTimeout(busyTimer)
  busyTimer = undefined
  if (!busy) return document.documentElement.removeAttribute('data-busy')
  busyTimer = setTimeout(() => {
    document.documentElement.setAttribute('data-busy', '')
    busyTimer = setTimeout(() => setBusy(false), BUSY_LIMIT_MS)
  }, BUSY_DELAY_MS)
}
const isUserRequest = ({ detail: { ctx } }) => ctx.request.headers['HX-Request-Type'] === 'full'
document.addEventListener('htmx:before:request', (event) => isUserRequest(event) && setBusy(true))
document.addEventListener('htmx:finally:request', (event) => isUserRequest(event) && setBusy(false))
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]:not([download], [target])')
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
  if (!link || !isPlain || event.defaultPrevented || link.origin !== location.origin) return
  if (link.pathname + link.search !== location.pathname + location.search) setBusy(true)
})
document.addEventListener('submit', (event) => {
  if (!event.defaultPrevented && !event.submitter?.matches('[formmethod=get]')) setBusy(true)
})
for (const shown of ['pageshow', 'pagehide']) addEventListener(shown, () => setBusy(false))

/** What must not be shown: an error that is no page of ours, and the answer to a question that the page no longer asks. */
document.addEventListener('htmx:before:swap', (event) => {
  const { response, text, sourceElement, request } = event.detail.ctx
  const requestedUrl = sourceElement.getAttribute('hx-get')
  const isOwnPage = response.status < 400 || text.includes('id="content"')
  if (!isOwnPage || (requestedUrl && requestedUrl !== request.action)) event.preventDefault()
})

/** After somebody's doing, not after a refresh, the menus are done with. */
document.addEventListener('htmx:after:swap', (event) => {
  setStale(false)
  if (event.detail.ctx.request.headers['HX-Request-Type'] !== 'full') return
  closeMenus()
  if (document.activeElement === document.body) document.getElementById('content')?.focus({ preventScroll: true })
  for (const shown of document.querySelectorAll('[popover]:popover-open')) shown.hidePopover()
})

/** The address tells where one is: not an error, and not the same place twice. */
document.addEventListener('htmx:before:history:update', (event) => {
  const { history, response } = event.detail
  if (response?.status >= 400 || history.path === location.pathname + location.search) event.preventDefault()
})

/** Fields of a search that are empty do not stand in the address. */
document.addEventListener('htmx:config:request', (event) => {
  const { method, body } = event.detail.ctx.request
  if (method !== 'GET') return
  for (const name of new Set(body.keys())) if (body.getAll(name).every((value) => value === '')) body.delete(name)
})

/** A list follows its filters as they are chosen; without scripts a button filters. */
document.addEventListener('change', ({ target }) => {
  if (target.matches('select') && target.form?.matches('[data-submit]')) target.form.requestSubmit()
})

/** What a browser refuses to send it says in its own language; the page has the words in its own. */
document.addEventListener(
  'invalid',
  ({ target }) => {
    const { validity, dataset } = target
    const { missing = '', short = '', wrong = '' } = dataset
    target.setCustomValidity('')
    target.setCustomValidity(validity.valueMissing ? missing : validity.tooShort ? short : validity.valid ? '' : wrong)
  },
  true,
)
for (const eventName of ['input', 'change', 'reset']) {
  document.addEventListener(
    eventName,
    ({ target }) => (target.elements ? [...target.elements] : [target]).forEach((one) => one.setCustomValidity?.('')),
    true,
  )
}

/** A form that was accepted is empty again where the page stays: what was typed would be sent twice. */
document.addEventListener('htmx:after:swap', ({ detail: { ctx } }) => {
  if (ctx.response.status < 400 && ctx.sourceElement.matches('form[data-clear]')) ctx.sourceElement.reset()
})

/** The key / goes to the search of the page. */
document.addEventListener('keydown', (event) => {
  const search = document.querySelector('[data-search]')
  if (event.key !== '/' || !search || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest?.('input:not([type=checkbox], [type=radio]), select, textarea, [contenteditable]')) return
  event.preventDefault()
  search.focus()
  search.select()
})

/** A page that says that the service does not answer comes back by itself once it does. */
if (document.querySelector('[data-retry]')) {
  const checkService = () => fetch(location.href, { method: 'HEAD' }).then(({ ok }) => ok && location.reload())
  setInterval(() => void checkService().catch(() => undefined), 5000)
}

/** Prints the page. */
document.addEventListener('click', ({ target }) => target.closest?.('[data-print]') && print())

/** Within a chart the arrows go from bar to bar; only one of them is reached by Tab, so that many do not stand in the way. */
document.addEventListener('keydown', (event) => {
  const point = event.target.closest?.('.points > *')
  if (!point || event.ctrlKey || event.metaKey || event.altKey) return
  const { previousElementSibling: before, nextElementSibling: after, parentElement } = point
  const { firstElementChild: Home, lastElementChild: End } = parentElement
  const next = { ArrowLeft: before, ArrowRight: after, Home, End }[event.key]
  if (!next) return
  event.preventDefault()
  point.tabIndex = -1
  next.tabIndex = 0
  next.focus()
})

/** The next cell of a heat map in a direction; cells with too few calls are skipped. */
function findHeatCell(cell, key) {
  const row = cell.parentElement
  const cells = [...row.children]
  const column = cells.indexOf(cell)
  const rows = [...row.parentElement.children]
  const line = rows.map((one) => one.children[column])
  const candidates = {
    ArrowLeft: cells.slice(0, column).toReversed(),
    ArrowRight: cells.slice(column + 1),
    ArrowUp: line.slice(0, rows.indexOf(row)).toReversed(),
    ArrowDown: line.slice(rows.indexOf(row) + 1),
    Home: cells,
    End: cells.toReversed(),
  }[key]
  return candidates?.find((one) => one.querySelector('a'))
}

/** Within a heat map the arrows walk the cells; Tab reaches one of them. */
document.addEventListener('keydown', (event) => {
  const cell = event.target.closest?.('[data-heat] td')
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return
  const next = findHeatCell(cell, event.key)?.querySelector('a')
  if (!next) return
  event.preventDefault()
  event.target.tabIndex = -1
  next.tabIndex = 0
  next.focus()
})
