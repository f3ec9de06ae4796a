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
document.addEventListener('click', (event) => closeMenus(event.target.closest?.('details.menu')))

/** A live part that gets no answer stays as it is; the page says that it may be out of date, until one comes. */
function setStale(stale) {
  document.getElementById('stale').hidden = !stale
}
document.addEventListener('htmx:error', () => setStale(true))
document.addEventListener('htmx:response:error', () => setStale(true))
document.addEventListener('htmx:after:swap', () => setStale(false))
