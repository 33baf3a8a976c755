-- What the site's pages need beyond pandoc: links between pages, names of the library linked to the C API, paths of the
-- repository linked to the file's page, tables that scroll by themselves, the title of the page.
-- Metadata: repository (path of the root), symbols (file of "name page" lines), page (this page without ending).
local repository, page
local symbol_page = {}
local wanted = {} -- repository files that need a page; written to the file `sources`

local function is_file(path)
  local file = io.open(repository .. "/" .. path, "r")
  if not file then return false end
  local _, _, code = file:read(0)
  file:close()
  return code ~= 21 -- a directory opens but cannot be read
end

local function source_link(path)
  wanted[path] = true
  return "source/" .. path .. ".html"
end

local function read_settings(meta)
  repository, page = pandoc.utils.stringify(meta.repository), pandoc.utils.stringify(meta.page)
  for line in io.lines(pandoc.utils.stringify(meta.symbols)) do
    local name, where = line:match("^(%S+) (%S+)$")
    symbol_page[name] = where
  end
end

local function link(element)
  local target = element.target
  if target:match("^%a+:") or target:match("^#") then return nil end
  local path, anchor = target:match("^([^#]*)(#?.*)$")
  if path:match("^[%w_-]+%.md$") then
    element.target = path:gsub("%.md$", ".html") .. anchor
  elseif path:match("^%.%./") then
    local file = path:gsub("^%.%./", "")
    if not is_file(file) then error(page .. ".md links to " .. target .. ", which is no file") end
    element.target = source_link(file)
  end
  return element
end

local function code(element)
  local text = element.text
  local where = symbol_page[text]
  if where and where ~= page then return pandoc.Link({ element }, where .. ".html#" .. text) end
  if text:match("^[%w_.-]+/[%w_./-]+%.%a+$") and is_file(text) then return pandoc.Link({ element }, source_link(text)) end
  return nil
end

-- MathML has no equation numbers: \tag{N} becomes a number at the right.
local function math(element)
  local number = element.mathtype == "DisplayMath" and element.text:match("\\tag{(.-)}")
  if not number then return nil end
  element.text = element.text:gsub("%s*\\tag{.-}", "")
  return pandoc.Span({ element, pandoc.Span("(" .. number:gsub("-", "–") .. ")", { class = "number" }) }, { class = "equation" })
end

-- Comments in code stand back. (pandoc's own highlighting costs more time than everything else together.)
local comment = { c = "/%*.-%*/", sh = "%f[^%s%z]#[^\n]*", xml = "&lt;!%-%-.-%-%-&gt;" }
local function code_block(element)
  local language = element.classes[1]
  if not comment[language] then return nil end
  local text = element.text:gsub("&", "&amp;"):gsub("<", "&lt;"):gsub(">", "&gt;")
  text = text:gsub(comment[language], function(found) return '<span class="comment">' .. found .. "</span>" end)
  return pandoc.RawBlock("html", '<pre class="' .. language .. '"><code>' .. text .. "</code></pre>")
end

-- Headings of the API pages: every name in them is an anchor. No links inside headings and links.
local function header(element)
  return element:walk({
    Link = function(inner) return inner.content end
  }):walk({
    Code = function(inner)
      if symbol_page[inner.text] == page and inner.text ~= element.identifier then return pandoc.Span({ inner }, { id = inner.text }) end
    end
  })
end

local function finish(document)
  for _, block in ipairs(document.blocks) do
    if block.t == "Header" and block.level == 1 then
      document.meta.pagetitle = pandoc.utils.stringify(block.content)
      break
    end
  end
  local list = io.open(pandoc.utils.stringify(document.meta.sources), "a")
  for path in pairs(wanted) do list:write(path, "\n") end
  list:close()
  return document
end

return {
  { Meta = read_settings },
  { Code = code },
  { Link = function(element) -- [`name`](page.md): what was written wins over what was linked above
      element.content = element.content:walk({ Link = function(inner) return inner.content end })
      return element
    end },
  { Link = link },
  { Header = header, Math = math, CodeBlock = code_block, Table = function(element) return pandoc.Div({ element }, { class = "table" }) end },
  { Pandoc = finish },
}
