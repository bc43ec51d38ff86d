# Not included: rows for the sources beside it, which scripts/check-layers must refuse.
plumb_layer(base)
plumb_layer(check USES base
            HEADERS check.hpp)
