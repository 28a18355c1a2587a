module fairlead.dev/launch

go 1.26
